// A command line in one text, as some clients write it, as its words. No shell: quotes and backslashes only.

/** `splitCommand("npx -y 'a b'")` → `['npx', '-y', 'a b']`. */
export function splitCommand(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (quote) {
      if (char === quote) quote = ''
      else if (char === '\\' && quote === '"' && /["\\]/.test(text[at + 1] ?? '')) word += text[++at]!
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (char === '\\' && at + 1 < text.length) word = (word ?? '') + text[++at]!
    else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  if (word !== undefined) words.push(word)
  return words
}
