import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { frameReader, type Kind, kinds, writeFrame } from './frames.ts'

const frame = fc.record({
  kind: fc.constantFrom(...Object.values(kinds)),
  id: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  body: fc.uint8Array({ maxLength: 300 }),
})

it('frames arrive as they were written, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 40 })),
      (frames, cuts) => {
        const channel = new PassThrough({ highWaterMark: 1_000_000 })
        for (const { kind, id, body } of frames) writeFrame(channel, kind, id, body)
        let rest = (channel.read() as Buffer | null) ?? Buffer.alloc(0)
        const seen: { kind: Kind; id: number; body: Uint8Array }[] = []
        const take = frameReader((kind, id, body) => seen.push({ kind, id, body: new Uint8Array(body) }))
        for (let n = 0; rest.length > 0; n++) {
          const size = cuts[n] ?? rest.length
          take(rest.subarray(0, size))
          rest = rest.subarray(size)
        }
        expect(seen).toEqual(frames.map(({ kind, id, body }) => ({ kind, id, body: new Uint8Array(body) })))
      },
    ),
  )
})

it('text goes as UTF-8', () => {
  const channel = new PassThrough()
  writeFrame(channel, kinds.start, 7, 'é')
  const seen: unknown[] = []
  frameReader((kind, id, body) => seen.push([kind, id, body.toString()]))(channel.read() as Buffer)
  expect(seen).toEqual([[kinds.start, 7, 'é']])
})
