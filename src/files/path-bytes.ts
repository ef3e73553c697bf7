// File names as text that loses nothing. A name is bytes; most are UTF-8. A byte that is not becomes a lone surrogate
// (U+DC80 to U+DCFF, as in Python's surrogateescape), which survives JSON and goes back to the same byte.

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const escaped = /[\udc80-\udcff]/u

/** The text of a name. */
export function textOfName(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd')) return text
  let result = ''
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at]!)
    try {
      result += decoder.decode(bytes.subarray(at, at + length))
      at += length
    } catch {
      result += String.fromCharCode(0xdc00 + bytes[at]!)
      at += 1
    }
  }
  return result
}

/** What the functions of `node:fs` take for a path written as text. */
export function pathOfText(text: string): string | Buffer {
  if (!escaped.test(text)) return text
  const parts = [...text].map((character) => {
    const code = character.codePointAt(0)!
    return code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(character)
  })
  return Buffer.concat(parts)
}

function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}
