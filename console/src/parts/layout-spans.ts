// Spans of a call as rows of a waterfall: guards hold what runs inside them, so each gets a depth and the time
// it spent itself.
import type { Span } from '../api/types.ts'

export interface SpanRow extends Span {
  readonly depth: number
  /** Without what ran inside. */
  readonly ownMs: number
}

export function layoutSpans(spans: readonly Span[]): SpanRow[] {
  const sorted = [...spans].sort((a, b) => a.startMs - b.startMs || b.endMs - a.endMs)
  const open: { row: SpanRow & { ownMs: number }; endMs: number }[] = []
  const rows: (SpanRow & { ownMs: number })[] = []
  for (const span of sorted) {
    while (open.length > 0 && open.at(-1)!.endMs <= span.startMs) open.pop()
    const length = span.endMs - span.startMs
    const outer = open.at(-1)
    if (outer) outer.row.ownMs = Math.max(0, outer.row.ownMs - length)
    const row = { ...span, depth: open.length, ownMs: length }
    rows.push(row)
    open.push({ row, endMs: span.endMs })
  }
  return rows
}
