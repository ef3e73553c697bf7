// What a usage line says of the arguments that are no options.
import { paramName, type ScriptParam } from './script-interface.ts'

/** `[-n NAME]`, `[--mode fast|slow]`: what stands in brackets after an option belongs to it. */
const bracketed = /\[\s*-[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\](?:\s*\.\.\.)?/g
const plain =
  /(?<![\w-])-{1,2}[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|[A-Z][A-Z0-9_]*(?![\w-])|[\w.-]+(?:\|[\w.-]+)+))?/g

/** As `positionalsOfUsage`, for a line that names its options too: `[-n NAME] [--force] <file>`. */
export function operandsOfUsage(usage: string): ScriptParam[] {
  return positionalsOfUsage(usage.replace(bracketed, ' ').replace(plain, ' '))
}

const operand = /(\[?)\s*(?:<([^<>]+)>|([A-Za-z][\w-]*(?:[./][\w.-]*\w)*))\s*(\.\.\.)?\s*(\]?)\s*(\.\.\.)?/g

/** `[options] <file> [more...]` of a usage line. */
export function positionalsOfUsage(usage: string): ScriptParam[] {
  const words = usage
    .replace(/(?<=\w)\s*\|\s*(?=\w)/g, '_or_') // `[dir|file]` is one argument,
    .replace(/\[([a-z]\w*(?:[ .][a-z]\w*)+)\]/g, '[<$1>]') // and so is `[input file]`.
  const params: ScriptParam[] = []
  for (const [, open, angled, bare, inner, , outer] of words.matchAll(operand)) {
    const written = (angled ?? bare)!.trim()
    if (/^(options?|flags?|opts)$/i.test(written)) continue
    const isList = inner !== undefined || outer !== undefined || written.endsWith('...')
    const isRequired = open === ''
    const name = nameOf(written)
    const isTaken = params.some((param) => param.name === name)
    params.push({
      name: isTaken ? `${name}_${params.length + 1}` : name,
      type: 'string',
      isRequired,
      ...(isList ? { list: 'together', count: isRequired ? { min: 1 } : {} } : {}),
    })
  }
  return params
}

/** `path/to/body.tex` is a `body`. */
function nameOf(written: string): string {
  const [last] = written.split('/').slice(-1)
  return paramName(last!.replace(/(?<=\w)\.\w+$/, '').replace(/:.*$/, ''))
}
