// The code file a data tool runs, and what that file offers. Results are kept by size and time, so linking again
// costs a stat per tool.
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readPlainFile } from '../../files/read-plain-file.ts'
import { isFileInside } from '../../files/real-path.ts'
import { languageOf, shebangProgram } from '../script-language.ts'
import { isCodeFile } from './file-kinds.ts'
import { readToolFile } from './read-file.ts'
import { readShell } from './read-shell.ts'
import { type CodeFacts, mentionsOnly } from './reading.ts'
import { scriptFile } from './script-file.ts'

/** More files than this are not looked into for the entry of one tool. */
const maxGivenOut = 100
const maxCodeBytes = 4 * 1024 * 1024
const known = new Map<string, { readonly stamp: string; readonly facts: CodeFacts }>()

/** What a code file offers; null when it cannot be read. Languages without a reader tell only what they mention. */
export function inspectCode(file: string): CodeFacts | null {
  try {
    const stat = statSync(file)
    const stamp = `${stat.size}:${stat.mtimeMs}`
    const seen = known.get(file)
    if (seen?.stamp === stamp) return seen.facts
    const text = readPlainFile(file, maxCodeBytes)
    const facts = readCode(file, text) ?? mentionsOnly(text)
    known.set(file, { stamp, facts })
    return facts
  } catch {
    return null
  }
}

/** By its ending; a shell script is also known by its first line. */
function readCode(file: string, text: string): CodeFacts | null {
  if (isCodeFile(file)) return readToolFile(file, text).code
  return languageOf(file, shebangProgram(text)) === 'shell' ? readShell(text).code : null
}

/** What a script offers together with what it gives out of other files of its tier: a name of its own comes first. */
export function withGivenOut(code: CodeFacts, file: string, ai: string): CodeFacts {
  const names = { hasExecute: code.hasExecute, hasMain: code.hasMain }
  const seen = new Set([file])
  const queue = sourcesOf(code, file, ai)
  for (let at = queue.pop(); at && seen.size < maxGivenOut; at = queue.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const facts = inspectCode(at)
    if (!facts) continue
    names.hasExecute ||= facts.hasExecute
    names.hasMain ||= facts.hasMain
    queue.push(...sourcesOf(facts, at, ai))
  }
  return seen.size === 1 ? code : { ...code, ...names }
}

function sourcesOf({ givesOut = [] }: CodeFacts, file: string, ai: string): string[] {
  return givesOut
    .filter((specifier) => specifier.startsWith('.'))
    .flatMap((specifier) => scriptFile(join(dirname(file), specifier)) ?? [])
    .filter((found) => isFileInside(found, ai))
}

/** `config.script`, else the sibling with the same stem and an extension of the runtime. */
export function findCodeFile(
  toolFile: string,
  ai: string,
  script: unknown,
  extensions: readonly string[],
): { readonly file: string | null; readonly refused?: string } {
  if (typeof script === 'string') {
    const file = resolve(dirname(toolFile), script)
    return isFileInside(file, ai)
      ? { file }
      : { file: null, refused: `config.script "${script}" is no file inside ${ai}` }
  }
  const stem = toolFile.replace(/\.[^./]+$/, '')
  for (const extension of extensions) {
    const file = `${stem}${extension}`
    if (file !== toolFile && isFileInside(file, ai)) return { file }
  }
  return { file: null }
}

/** The absolute path when `text` is the relative path of a file beside the tool, else null. */
export function besideTool(toolFile: string, ai: string, text: unknown): string | null {
  if (
    typeof text !== 'string' ||
    text === '' ||
    text.startsWith('/') ||
    text.startsWith('-') ||
    /[{}$\n]/.test(text)
  )
    return null
  const file = join(dirname(toolFile), text)
  return isFileInside(file, ai) ? file : null
}
