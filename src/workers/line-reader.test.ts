import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineReader } from './line-reader.ts'

function read(chunks: readonly Buffer[], maxBytes: number, stops = false) {
  const lines: string[] = []
  let isTooLong = false
  const onTooLong = () => {
    isTooLong = true
  }
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    ...(stops ? { onTooLong } : {}),
  })
  for (const chunk of chunks) reader.take(chunk)
  reader.flush()
  return { lines, isTooLong }
}

it('gives the lines of a text however it is cut into chunks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(20)), (text, cuts) => {
      const bytes = Buffer.from(text)
      const chunks: Buffer[] = []
      let at = 0
      for (const cut of cuts) {
        chunks.push(bytes.subarray(at, at + cut))
        at += cut
      }
      chunks.push(bytes.subarray(at))
      expect(read(chunks, 10_000).lines).toEqual(text.split('\n').filter((line) => line !== ''))
    }),
  )
})

it('gives the beginning of a line that is too long, cut between characters, and drops its rest', () => {
  const chunks = ['aé', 'éé', 'b\nnext\n'].map((text) => Buffer.from(text))
  expect(read(chunks, 4).lines).toEqual(['aé', 'next'])
})

it('stops at a line that is too long where that is what it is for', () => {
  const chunks = ['ok\n', 'xxxxx', 'x\nmore\n'].map((text) => Buffer.from(text))
  expect(read(chunks, 5, true)).toEqual({ lines: ['ok'], isTooLong: true })
})
