// A result as a table; long ones show their beginning and say how much more there is.
import type { Rows } from './result-forms.ts'

const mostRows = 500

export function ResultTable({ table }: { table: Rows }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="scroll-x result-table" tabIndex={0} role="region" aria-label="Result as a table">
      <table>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, mostRows).map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-number={typeof cell === 'number' || undefined}>
                  {textOf(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > mostRows && <p class="muted">and {table.rows.length - mostRows} more rows</p>}
    </div>
  )
}

function textOf(cell: unknown): string {
  if (cell === undefined || cell === null) return ''
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}
