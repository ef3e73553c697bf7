// What a usage line says of the arguments that are no options.
import { paramName, type ScriptParam } from './script-interface.ts'

const flags = /\[?-{1,2}[A-Za-z][\w-]*(?:[ =](?:<[^>]+>|[A-Z][A-Z0-9_]*|\w+(?=\])))?\]?/g

/** As `positionalsOfUsage`, for a line that names its options too: `[-n NAME] [--force] <file>`. */
export function operandsOfUsage(usage: string): ScriptParam[] {
  return positionalsOfUsage(usage.replace(flags, ' '))
}

/** `[options] <file> [more...]` of a usage line. */
export function positionalsOfUsage(usage: string): ScriptParam[] {
  const words = usage.replace(/(?<=\w)\s*\|\s*(?=\w)/g, '_or_') // `[dir|file]` is one argument.
  const found = words.matchAll(/(\[?)\s*(?:<([\w -]+)>|([A-Za-z][\w-]*))\s*(\.\.\.)?\s*(\]?)\s*(\.\.\.)?/g)
  return [...found].flatMap(([, open, angled, plain, inner, , outer]) => {
    const written = (angled ?? plain)!.trim()
    if (/^(options?|flags?|opts)$/i.test(written)) return []
    const isList = inner !== undefined || outer !== undefined
    const isRequired = open === ''
    return [
      {
        name: paramName(written),
        type: 'string' as const,
        isRequired,
        ...(isList ? { list: 'together' as const, count: isRequired ? { min: 1 } : {} } : {}),
      },
    ]
  })
}
