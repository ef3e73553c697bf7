// A small mark for the format of a tool; its name is its title and is said to screen readers.

const glyphs: { readonly [format: string]: string } = {
  skill: '◆',
  'tools-json': '{}',
  'tool-code': '⟨⟩',
  rye: '⌘',
  mcp: '⇄',
  openapi: '/',
  builtin: 'ƒ',
}

export function FormatGlyph({ format }: { format: string }) {
  return (
    <span class="format-glyph mono" title={format}>
      <span aria-hidden="true">{glyphs[format] ?? format.slice(0, 2)}</span>
      <span class="unseen">{format}</span>
    </span>
  )
}
