// What do the escapes in `$'…'`, `printf` and `echo -e` mean?

/** Where a text that escapes its quotes ends. */
export function endOfEscaped(text: string, from: number): number {
  for (let at = from; at < text.length; at++)
    if (text[at] === '\\') at++
    else if (text[at] === "'") return at
  return text.length
}

const escapes: { readonly [char: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
}

/** `\x41`, `\101`, `\n` of `$'…'`, `printf` and `echo -e`. */
export function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|([\s\S]))/g,
    (_, hex, wide, octal, char) => {
      if (hex ?? wide) return String.fromCharCode(Number.parseInt(hex ?? wide, 16))
      return octal ? String.fromCharCode(Number.parseInt(octal, 8)) : (escapes[char] ?? char)
    },
  )
}

/** Letters that are written as their numbers: a text that hides what it says. */
export function isSpelled(text: string): boolean {
  return /\\(?:x(?:2[0-9a-f]|[3-7][0-9a-f])|0?(?:0[4-7]|1[0-7])[0-7])/i.test(text)
}
