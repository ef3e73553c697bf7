// The small part of JSONPath that hints and settings use: `$.a.b[0]`, `['key']`, `[*]`, `.*`, `..name`.
// Own properties only; a path that means nothing gives nothing.
import { Effort } from './effort.ts'

type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'all' }
  | { readonly kind: 'deep'; readonly key: string }

const maxResults = 10_000

/** The steps of a path; null when it is no path this reader knows. */
function parsePath(path: string): readonly Step[] | null {
  const steps: Step[] = []
  let rest = path.trim()
  if (rest.startsWith('$')) rest = rest.slice(1)
  else if (rest !== '' && !rest.startsWith('.') && !rest.startsWith('[')) rest = `.${rest}`
  while (rest !== '') {
    const match =
      /^\.\.([^.[\]*]+)/.exec(rest) ??
      /^\.(\*|[^.[\]*]+)/.exec(rest) ??
      /^\[(\*|-?\d+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]/.exec(rest)
    if (!match) return null
    const text = match[1]!
    if (/^\.\./.test(rest)) steps.push({ kind: 'deep', key: text })
    else if (text === '*') steps.push({ kind: 'all' })
    else if (/^['"]/.test(text)) steps.push({ kind: 'key', key: text.slice(1, -1).replace(/\\(.)/g, '$1') })
    else steps.push({ kind: 'key', key: text })
    rest = rest.slice(match[0].length)
  }
  return steps
}

/** Every value a path leads to. Without an `effort` to share, one that takes too much leads nowhere. */
export function readPath(root: unknown, path: string, effort?: Effort): unknown[] {
  if (effort) return follow(root, path, effort)
  try {
    return follow(root, path, new Effort())
  } catch {
    return []
  }
}

function follow(root: unknown, path: string, effort: Effort): unknown[] {
  effort.spend(path.length)
  const steps = parsePath(path)
  if (!steps) return []
  let values: unknown[] = [root]
  for (const step of steps) {
    const found: unknown[] = []
    for (const value of values) next(value, step, found, effort)
    values = found
  }
  return values
}

/** True when a path can lead to several values. */
export function isManyPath(path: string): boolean {
  return parsePath(path)?.some((step) => step.kind !== 'key') ?? false
}

function next(value: unknown, step: Step, found: unknown[], effort: Effort): void {
  effort.spend(1)
  if (typeof value !== 'object' || value === null || found.length >= maxResults) return
  const items = step.kind === 'all' ? Object.values(value) : child(value, step.key)
  effort.spend(items.length)
  for (const item of items) if (found.length < maxResults) found.push(item)
  if (step.kind === 'deep') for (const item of Object.values(value)) next(item, step, found, effort)
}

function child(value: object, key: string): unknown[] {
  if (Array.isArray(value)) {
    if (!/^-?\d+$/.test(key)) return []
    const item = value.at(Number(key))
    return item === undefined ? [] : [item]
  }
  return Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : []
}
