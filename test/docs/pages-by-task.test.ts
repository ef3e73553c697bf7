// Pages by task: each is there, the README leads to it, and it begins with what one types and sees.
import { expect, it } from 'vitest'
import { verifies } from '../helpers/verifies.ts'
import { codeBlocks, stepsOf } from './code-blocks.ts'
import { readPage } from './pages.ts'

const byTask = [
  'scripts',
  'gateway',
  'apis',
  'agents',
  'automation',
  'capabilities',
  'undo-and-review',
  'team',
  'troubleshooting',
]

it.each(byTask)('docs/%s.md begins with a command and its output', (name) => {
  verifies('D22')
  const page = `docs/${name}.md`
  expect(readPage('README.md')).toContain(`(${page})`)
  const text = readPage(page)
  // Its first part, with or without a heading of its own.
  const head = text.split(/^## /m).slice(0, 2).join('')
  const shown = codeBlocks(head).filter(({ language }) => language === 'console')
  expect(shown.flatMap((block) => stepsOf(block.text)).filter(({ output }) => output !== '')).not.toEqual([])
})

it('docs/embedding.md begins with a program', () => {
  verifies('D22')
  expect(codeBlocks(readPage('docs/embedding.md'))[0]).toMatchObject({ language: 'ts' })
})
