// Colours, only where they are wanted: NO_COLOR, FORCE_COLOR and the terminal decide, per stream.
import picocolors from 'picocolors'
import { cutToWidth, textWidth } from './text-width.ts'

function wanted(stream: NodeJS.WriteStream): boolean {
  if (process.env['NO_COLOR']) return false
  if (process.env['FORCE_COLOR']) return process.env['FORCE_COLOR'] !== '0'
  return stream.isTTY === true && process.env['TERM'] !== 'dumb'
}

/** For data on stdout. */
export const outStyle = picocolors.createColors(wanted(process.stdout))
/** For notes on stderr. */
export const noteStyle = picocolors.createColors(wanted(process.stderr))

/**
 * Rows as aligned columns, parted by two spaces; what does not fit the terminal is cut at the end of a line.
 * Width 0 cuts nothing.
 */
export function columns(rows: readonly (readonly string[])[], width = process.stdout.columns ?? 0): string[] {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, textWidth(cell))))
  return rows.map((row) => {
    const line = row
      .map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat(widths[index]! - textWidth(cell)),
      )
      .join('  ')
      .trimEnd()
    return width > 0 ? cutToWidth(line, width) : line
  })
}

/**
 * Foreign text made harmless for a terminal: no escape codes, nothing that moves the cursor, and no marks that turn
 * the direction of writing round and make a line read as another.
 */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** The same for a name that stands in a line of its own: a line break in it would look like another line. */
export function plainLine(name: string): string {
  return plain(name).replace(/[\t\n]/g, (mark) => (mark === '\n' ? '\\n' : '\\t'))
}

/** Data of a tool on stdout: as it is into a pipe or a file, harmless on a terminal. */
export function printable(text: string): string {
  return process.stdout.isTTY ? plain(text) : text
}
