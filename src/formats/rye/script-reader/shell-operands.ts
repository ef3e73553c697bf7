// `"$1"`, `${2:-default}` and `"$@"` where a shell script uses them in place. Functions have arguments of their own, and
// awk and sed programs in single quotes have a `$1` of theirs.
import { paramName, type ScriptParam } from './script-interface.ts'

/** The arguments by number, and `"$@"` as a list; empty when the script uses none outside its functions. */
export function operandsInPlace(text: string, header: string | undefined): ScriptParam[] {
  const body = topLevel(withoutQuotedPrograms(text))
  const found = new Map<number, ScriptParam>()
  for (const [, digit, operator, words] of body.matchAll(/\$\{?([1-9])(?![0-9])(?:(:?[-?=+])([^}\n]*))?/g)) {
    const index = Number(digit)
    if (found.has(index)) continue
    const fallback = operator?.includes('-') ? words!.replace(/^["']|["']$/g, '') : undefined
    found.set(index, {
      ...named(index, header),
      type: 'string',
      isRequired: operator === undefined ? isWanted(body, index) : operator.includes('?'),
      fallback: fallback && !/[$`]/.test(fallback) ? fallback : undefined,
    })
  }
  const highest = Math.max(0, ...found.keys())
  for (let index = 1; index < highest; index++)
    if (!found.has(index)) found.set(index, { ...named(index, header), type: 'string', isRequired: true })
  const params = [...found].sort(([a], [b]) => a - b).map(([, param]) => param)
  const rest = /\bfor\s+(\w+)\s+in\s+"?\$[@*]|\$\{?[@*](?::\d)?\}?/.exec(body)
  if (rest)
    params.push({
      name: rest[1] ? `${paramName(rest[1])}s` : 'args',
      type: 'string',
      list: 'together',
      count: {},
      isRequired: false,
      description: 'Passed on as they are, in order.',
    })
  return params
}

/** `# $1 = key name` of the comment on top names it. */
function named(index: number, header: string | undefined): Pick<ScriptParam, 'name' | 'description'> {
  const words = new RegExp(`^\\s*\\$${index}\\s*(?:[=:-]+|is)\\s*(\\S.*)$`, 'm')
    .exec(header ?? '')?.[1]
    ?.trim()
  if (words === undefined) return { name: `arg${index}`, description: `Argument ${index}.` }
  return { name: /^[\w-]+$/.test(words) ? paramName(words) : `arg${index}`, description: words }
}

/** A script that counts its arguments, or looks whether one is empty, goes on without it. */
function isWanted(body: string, index: number): boolean {
  if (new RegExp(`\\$#\\s*(?:-lt|-ne|<|!=)\\s*"?[${index}-9]`).test(body)) return true
  return !/\$#/.test(body) && !new RegExp(`-[nz]\\s+"?\\$\\{?${index}\\b`).test(body)
}

/** Without comments and without what stands in single quotes. */
function withoutQuotedPrograms(given: string): string {
  const text = given.replace(/\b(awk|sed|jq|perl)\b([^'"\n]*)'[^']*'/g, '$1$2')
  let kept = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '\\') at++
    else if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && char === "'") {
      at = text.indexOf("'", at + 1)
      if (at < 0) break
      continue
    } else if (!isQuoted && char === '#' && /(^|\s)$/.test(kept.slice(-1))) {
      const end = text.indexOf('\n', at)
      if (end < 0) break
      at = end - 1
      continue
    }
    kept += char === '\\' ? text.slice(at - 1, at + 1) : char
  }
  return kept
}

/** Without function bodies, but for a function that gets all arguments: `main "$@"`. */
export function topLevel(text: string): string {
  const bodies = new Map<string, string>()
  const keep = (_: string, name: string, body: string): string => {
    bodies.set(name, body)
    return ''
  }
  const rest = text
    .replace(/^(?:function\s+)?([\w-]+)\s*\(\)\s*\{([^\n]*)\}[ \t]*$/gm, keep)
    .replace(/^(?:function\s+)?([\w-]+)\s*(?:\(\)\s*)?\{[ \t]*(?:#.*)?\n([\s\S]*?)^\}/gm, keep)
  return rest.replace(/^(\s*)([\w-]+)\s+"\$@"/gm, (all, indent: string, name: string) =>
    bodies.has(name) ? `${indent}${bodies.get(name)}` : all,
  )
}
