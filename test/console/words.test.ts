// The words of the console: every text has its German with the same values in it, none is left over, and nothing that
// people read stands anywhere else.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { words } from '../../console/src/words/de.ts'
import { serverWords, texts } from '../../console/src/words/en.ts'
import { verifies } from '../helpers/verifies.ts'
import { isWritten, visibleTexts } from './visible-texts.ts'

const folder = fileURLToPath(new URL('../../console/src', import.meta.url))
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('words'))
  .map((file) => {
    const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    const text = readFileSync(join(folder, file), 'utf8')
    return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
  })
const all: readonly string[] = [...texts, ...serverWords]

it('has German for every text, and no German for none', () => {
  verifies('V24')
  expect(texts.length).toBeGreaterThan(600)
  expect(new Set(all).size).toBe(all.length)
  expect(Object.keys(words).sort()).toEqual([...all].sort())
  expect(Object.entries(words).filter(([, german]) => german.trim() === '')).toEqual([])
})

it('keeps the values of every text', () => {
  verifies('V24')
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
  const changed = Object.entries(words).filter(
    ([text, german]) => names(text).join() !== names(german).join(),
  )
  expect(changed).toEqual([])
})

it('lists no text that is never said', () => {
  const written = new Set(sources.flatMap(isWritten))
  expect(texts.filter((text) => !written.has(text))).toEqual([])
})

it('shows no text that is not in the files of the languages', () => {
  verifies('V23', 'V24')
  expect(sources.flatMap(visibleTexts)).toEqual([])
})

it('sees texts that are not in the files of the languages', () => {
  const source = ts.createSourceFile(
    'x.tsx',
    `const x = <p title="Read me">Hello <b aria-label={\`Node \${name}\`}>{isOn ? 'on air' : say('off')}</b></p>
announce('Saved it')
if (confirm(\`Delete \${name}?\`)) throw new ApiError(0, { detail: 'No answer.' })`,
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  )
  expect(visibleTexts(source).map((each) => each.replace(/^.*?: /, ''))).toEqual([
    'Read me',
    'Hello',
    'Node ${name}',
    'on air',
    'Saved it',
    'Delete ${name}?',
    'No answer.',
  ])
})
