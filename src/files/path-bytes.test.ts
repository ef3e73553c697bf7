import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pathOfText, textOfName } from './path-bytes.ts'

it('gives every name back as it was, also through JSON', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = JSON.parse(JSON.stringify(textOfName(Buffer.from(bytes)))) as string
      expect([...Buffer.from(pathOfText(text))]).toEqual([...bytes])
    }),
  )
})

it('leaves names that are UTF-8 as they are', () => {
  const name = 'größe\n\ufffd😀'
  expect(textOfName(Buffer.from(name))).toBe(name)
  expect(pathOfText(name)).toBe(name)
})

it('marks each byte that is no UTF-8', () => {
  expect(textOfName(Buffer.from([0x61, 0xff, 0xc3, 0x62]))).toBe('a\udcff\udcc3b')
})
