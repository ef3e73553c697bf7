// The usage lines of a shell script: what stands after the name of the program, of the longest form that is shown.
import type { ScriptParam } from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

const program =
  String.raw`(?:\$0|\$\{0##\*\/\}|\$\(basename[^)]*\)|` +
  '`basename[^`]*`' +
  String.raw`|\$\{?\w+\}?|[\w./-]+)`

export interface ShellUsage {
  readonly params: readonly ScriptParam[]
}

/** Undefined when neither the comment on top nor the text shows a usage. */
export function shellUsage(text: string, header: string | undefined): ShellUsage | undefined {
  const lines = usageLines(header ?? '') ?? usageLines(text)
  if (lines === undefined) return undefined
  const forms = lines.flatMap(alternatives).map(operandsOfUsage)
  const longest = forms.reduce((best, form) => (form.length > best.length ? form : best), [])
  // What a shorter form does without may be left out.
  const always = Math.min(...forms.map((form) => form.filter(({ isRequired }) => isRequired).length))
  const params = longest.map((param, index) => (index < always ? param : { ...param, isRequired: false }))
  return lines.some((line) => line !== '') ? { params } : undefined
}

/** The first usage line, and those right below it that begin with the same name; without that name. */
function usageLines(text: string): string[] | undefined {
  const first = new RegExp(String.raw`usage:\s*(?:\$\s+)?(${program})([^\n"]*)`, 'i').exec(text)
  if (!first) return undefined
  const lines = [first[2]!]
  for (const line of text
    .slice(first.index + first[0].length)
    .split('\n')
    .slice(1)) {
    const next = /^[\s#]*(?:(?:echo|or:?)\s+)?["']?(?:\$\s+)?(.*)$/.exec(line)?.[1] ?? ''
    if (!next.startsWith(`${first[1]!} `) && next !== first[1]) break
    lines.push(next.slice(first[1]!.length).replace(/".*$/, ''))
  }
  return lines.map((line) => line.replace(/\s+(>&2|1>&2)?\s*;?\s*(exit.*)?$/, '').trim())
}

/** `[flags] <word> or name <word> <word>`: each side is a form of its own. */
function alternatives(line: string): string[] {
  let depth = 0
  for (const { 0: found, index } of line.matchAll(/[[<{(]|[\]>})]|\sor\s+\S+/g)) {
    if (/^[[<{(]$/.test(found)) depth++
    else if (found.length === 1) depth--
    else if (depth === 0) return [line.slice(0, index), ...alternatives(line.slice(index + found.length))]
  }
  return [line]
}
