// What differs between two values, by path: what went, what came, what is another. Lists are compared as sets of lines
// are, by their longest common part, so that one entry more in front is one change and not all of them.
import { diffLines } from './diff-lines.ts'

export interface ValueChange {
  /** `$.items[0].price` */
  readonly path: string
  /** Absent: it came. */
  readonly before?: string
  /** Absent: it went. */
  readonly after?: string
}

export function changesBetween(before: unknown, after: unknown, path = '$'): ValueChange[] {
  if (textOf(before) === textOf(after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return changesOfLists(before, after, path)
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    return keys.flatMap((key) => changesBetween(before[key], after[key], `${path}${pathOf(key)}`))
  }
  return [
    {
      path,
      ...(before === undefined ? {} : { before: textOf(before) }),
      ...(after === undefined ? {} : { after: textOf(after) }),
    },
  ]
}

function changesOfLists(before: readonly unknown[], after: readonly unknown[], path: string): ValueChange[] {
  const changes: ValueChange[] = []
  let from = 0
  let to = 0
  const lines = diffLines(before.map(textOf).join('\n'), after.map(textOf).join('\n'))
  for (let at = 0; at < lines.length; at++) {
    const { kind } = lines[at]!
    if (kind === 'removed' && lines[at + 1]?.kind === 'added') {
      // One in place of another: what differs lies inside.
      changes.push(...changesBetween(before[from++], after[to], `${path}[${to++}]`))
      at++
    } else if (kind === 'removed') changes.push({ path: `${path}[${from}]`, before: textOf(before[from++]) })
    else if (kind === 'added') changes.push({ path: `${path}[${to}]`, after: textOf(after[to++]) })
    else {
      from++
      to++
    }
  }
  return changes
}

/** One line, with keys in one order: two values are the same when their texts are. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (isRecord(inner) ? sorted(inner) : inner)) ?? ''
}

/** The same value with the keys of its objects in one order, for a difference of texts. */
export function sortedDeep(value: unknown): unknown {
  const text = textOf(value)
  return text === '' ? value : JSON.parse(text)
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pathOf(key: string): string {
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
