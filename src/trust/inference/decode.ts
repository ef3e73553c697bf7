// Texts that stand in code in another form: base64, hex, rot13, escapes.
import { table } from './table.ts'
import { exact, type TextValue } from './value.ts'

const maxLength = 200_000

const decoders: { readonly [how: string]: (text: string) => string } = table({
  base64: (text) => Buffer.from(text, 'base64').toString('latin1'),
  base32: base32,
  base85: () => '',
  hex: (text) => Buffer.from(text.replace(/[\s:]/g, ''), 'hex').toString('latin1'),
  rot13: (text) =>
    text.replace(/[a-z]/gi, (char) => {
      const base = char <= 'Z' ? 65 : 97
      return String.fromCharCode(((char.charCodeAt(0) - base + 13) % 26) + base)
    }),
  percent: (text) =>
    text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
})

const otherNames: { readonly [how: string]: string } = table({
  b64: 'base64',
  base64url: 'base64',
  rot_13: 'rot13',
  hex_codec: 'hex',
  base64_codec: 'base64',
})

/** The decoded text; undefined when `how` names no such form. An encoding of characters is none. */
export function decoded(text: string, how: string): TextValue | undefined {
  const name = how.toLowerCase()
  const decoder = decoders[otherNames[name] ?? name]
  if (!decoder) return undefined
  const result = text.length > maxLength ? '' : decoder(text)
  return result === ''
    ? { kind: 'text', text: '\u0000', certainty: 'unknown', origin: 'decoded' }
    : exact(result, 'decoded')
}

function base32(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  let bits = ''
  for (const char of text.toUpperCase().replace(/=+$/, ''))
    bits += alphabet.indexOf(char).toString(2).padStart(5, '0')
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('')
}
