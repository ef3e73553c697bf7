// A Markdown table.

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')
  // Inside code spans nothing is an entity, so those keep their signs.
  const safe = (text: string) =>
    text
      .split(/(`[^`]*`)/)
      .map((part) => (part.startsWith('`') ? part.replaceAll('|', '\\|') : cell(part)))
      .join('')
  const line = (cells: readonly string[]) => `| ${cells.map(safe).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}
