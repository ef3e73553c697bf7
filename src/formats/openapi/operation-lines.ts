// On which line an operation stands, found by its text: a parse with positions would cost more than the whole reading.
import { LineIndex } from '../../tool/line-index.ts'

/** The line of an operation, or of its path where the method is not found behind it. */
export function lineFinder(text: string): (path: string, method: string) => number {
  const lines = new LineIndex(text)
  const start = Math.max(0, text.search(/^\s*"?paths"?\s*:/m))
  const known = new Map<string, number>()
  let from = start
  return (path, method) => {
    let at = known.get(path)
    if (at === undefined) {
      // Paths are asked for in the order in which they stand, so that the next one is near.
      at = pathOffset(text, path, from)
      if (at < 0) at = pathOffset(text, path, start)
      if (at >= 0) from = at
      known.set(path, at)
    }
    if (at < 0) return 1
    const key = new RegExp(`[\\s{,"']${method}["']?\\s*:`, 'gi')
    key.lastIndex = at + path.length
    const found = key.exec(text)
    return lines.at(found ? found.index + 1 : at).line
  }
}

function pathOffset(text: string, path: string, start: number): number {
  for (let at = text.indexOf(path, start); at >= 0; at = text.indexOf(path, at + 1)) {
    const after = text.slice(at + path.length, at + path.length + 8)
    const before = text[at - 1]
    if (/^["']?\s*:/.test(after) && (before === undefined || /["'\s?]/.test(before))) return at
  }
  return -1
}
