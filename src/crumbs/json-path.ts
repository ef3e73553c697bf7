// The small part of JSONPath that hints and settings use: `$.a.b[0]`, `['key']`, `[*]`, `.*`, `..name`.
// Own properties only; a path that means nothing gives nothing.

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
    if (rest.startsWith('..')) steps.push({ kind: 'deep', key: text })
    else if (text === '*') steps.push({ kind: 'all' })
    else if (/^['"]/.test(text)) steps.push({ kind: 'key', key: text.slice(1, -1).replace(/\\(.)/g, '$1') })
    else steps.push({ kind: 'key', key: text })
    rest = rest.slice(match[0].length)
  }
  return steps
}

/** Every value a path leads to. */
export function readPath(root: unknown, path: string): unknown[] {
  const steps = parsePath(path)
  if (!steps) return []
  let values: unknown[] = [root]
  for (const step of steps) {
    values = values.flatMap((value) => next(value, step)).slice(0, maxResults)
  }
  return values
}

/** True when a path can lead to several values. */
export function isManyPath(path: string): boolean {
  return parsePath(path)?.some((step) => step.kind !== 'key') ?? false
}

function next(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (step.kind === 'all') return Object.values(value)
  if (step.kind === 'deep') {
    const own = child(value, step.key)
    const below = Object.values(value).flatMap((item) => next(item, step))
    return [...own, ...below].slice(0, maxResults)
  }
  return child(value, step.key)
}

function child(value: object, key: string): unknown[] {
  if (Array.isArray(value)) {
    if (!/^-?\d+$/.test(key)) return []
    const item = value.at(Number(key))
    return item === undefined ? [] : [item]
  }
  return Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : []
}
