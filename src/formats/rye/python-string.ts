// The value of a Python string literal.

const simple: { readonly [char: string]: string } = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Undefined for what is no text or no constant: bytes, a template, an f-string with expressions, `\N{…}`. */
export function pythonString(literal: string): string | undefined {
  const prefix = /^[A-Za-z]*/.exec(literal)![0].toLowerCase()
  if (/[bt]/.test(prefix)) return undefined
  const quoted = literal.slice(prefix.length)
  const width = /^("""|''')/.test(quoted) ? 3 : 1
  if (quoted.length < 2 * width) return undefined
  let body = quoted.slice(width, -width).replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  if (prefix.includes('f')) {
    if (/[{}]/.test(body.replaceAll('{{', '').replaceAll('}}', ''))) return undefined
    body = body.replaceAll('{{', '{').replaceAll('}}', '}')
  }
  return prefix.includes('r') ? body : unescaped(body)
}

function unescaped(body: string): string | undefined {
  if (!body.includes('\\')) return body
  let isConstant = true
  const text = body.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(N\{[^}]*\})|([\s\S]))/g,
    (whole, octal, hex, short, long, named, char) => {
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8))
      if (hex ?? short) return String.fromCharCode(Number.parseInt(hex ?? short, 16))
      if (long && Number.parseInt(long, 16) <= 0x10ffff)
        return String.fromCodePoint(Number.parseInt(long, 16))
      if (named || long) isConstant = false
      return simple[char] ?? whole
    },
  )
  return isConstant ? text : undefined
}
