// Characters that nobody sees, shown by their number: controls and formats (bidirectional marks, zero-width, tags), line
// ends and tabs excepted.

const invisible = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu

export function showInvisible(text: string): string {
  return text.replace(
    invisible,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
