// Rows as a table: sorted by a click on a column, filtered by a word, saved as CSV. Only the rows in sight are drawn.
import { useMemo, useState } from 'preact/hooks'
import { count, language, say } from '../words/say.ts'
import type { Rows } from './kind-of.ts'
import { save } from './save.ts'

const rowHeight = 33
const shownRows = 14
const overscan = 6
const mostText = 200

export function ResultTable({ table, label }: { table: Rows; label: string }) {
  const [sort, setSort] = useState<{ readonly column: number; readonly isDown: boolean } | null>(null)
  const [word, setWord] = useState('')
  const [from, setFrom] = useState(0)
  const rows = useMemo(() => arranged(table, word, sort), [table, word, sort])
  const to = Math.min(rows.length, from + shownRows + 2 * overscan)
  const spaceAbove = from * rowHeight
  const spaceBelow = Math.max(0, rows.length - to) * rowHeight
  return (
    <div class="stack tight">
      <div class="row wrap">
        {table.rows.length > 5 && (
          <input
            class="input short"
            type="search"
            aria-label={say('Filter rows')}
            placeholder={say('Filter rows')}
            value={word}
            onInput={(event) => {
              setWord(event.currentTarget.value)
              setFrom(0)
            }}
          />
        )}
        <span class="muted" role="status">
          {rows.length === table.rows.length
            ? say('{n} rows', { n: rows.length })
            : say('{n} of {all} rows', { n: rows.length, all: table.rows.length })}
        </span>
        <span class="grow" />
        <button
          type="button"
          class="button small quiet"
          onClick={() => save('result.csv', csvOf(table.columns, rows), 'text/csv')}
        >
          CSV
        </button>
      </div>
      <div
        class="result-table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={label}
        onScroll={(event) =>
          setFrom(Math.max(0, Math.floor(event.currentTarget.scrollTop / rowHeight) - overscan))
        }
      >
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              {table.columns.map((column, index) => {
                const isSorted = sort?.column === index
                return (
                  <th
                    key={column}
                    scope="col"
                    aria-sort={isSorted ? (sort.isDown ? 'descending' : 'ascending') : undefined}
                  >
                    <button
                      type="button"
                      onClick={() => setSort({ column: index, isDown: isSorted ? !sort.isDown : false })}
                    >
                      {column}
                      <span aria-hidden="true">{isSorted ? (sort.isDown ? ' ↓' : ' ↑') : ''}</span>
                    </button>
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {spaceAbove > 0 && <tr style={{ height: `${spaceAbove}px` }} />}
            {rows.slice(from, to).map((row, index) => (
              <tr key={from + index} aria-rowindex={from + index + 2}>
                {row.map((cell, column) => (
                  <td key={column} data-number={typeof cell === 'number' || undefined} title={textOf(cell)}>
                    {shownText(cell)}
                  </td>
                ))}
              </tr>
            ))}
            {spaceBelow > 0 && <tr style={{ height: `${spaceBelow}px` }} />}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function arranged(
  { rows }: Rows,
  word: string,
  sort: { readonly column: number; readonly isDown: boolean } | null,
): readonly (readonly unknown[])[] {
  const wanted = word.toLowerCase()
  const kept = wanted
    ? rows.filter((row) => row.some((cell) => textOf(cell).toLowerCase().includes(wanted)))
    : rows
  if (!sort) return kept
  const compare = new Intl.Collator(language.value, { numeric: true }).compare
  const sign = sort.isDown ? -1 : 1
  return [...kept].sort((a, b) => {
    const [one, two] = [a[sort.column], b[sort.column]]
    if (typeof one === 'number' && typeof two === 'number') return sign * (one - two)
    return sign * compare(textOf(one), textOf(two))
  })
}

function textOf(cell: unknown): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

function shownText(cell: unknown): string {
  if (typeof cell === 'number' && !Number.isInteger(cell)) return count(cell)
  const text = textOf(cell)
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text
}

/** As spreadsheets read it; a text that a spreadsheet would take for a formula is kept a text. */
function csvOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = textOf(value)
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  return [columns, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')
}
