import fc from 'fast-check'
import { expect, it } from 'vitest'
import { makeScrubber, nothingToScrub } from './scrub.ts'
import { scrubStream } from './scrub-stream.ts'

it('finds a secret however the text is cut', () => {
  const secret = 'hunter2-hunter2'
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.array(fc.integer({ min: 1, max: 9 })), (before, after, cuts) => {
      const whole = `${before}${secret}${after}`
      const pieces: string[] = []
      const stream = scrubStream(makeScrubber({ KEY: secret }), (text) => pieces.push(text))
      let at = 0
      for (const size of cuts) {
        stream.write(whole.slice(at, at + size))
        at += size
      }
      stream.write(whole.slice(at))
      stream.flush()
      expect(pieces.join('')).toBe(`${before}[secret:KEY]${after}`)
    }),
  )
})

it('holds nothing back where there is nothing to hide', () => {
  const pieces: string[] = []
  scrubStream(nothingToScrub, (text) => pieces.push(text)).write('at once')
  expect(pieces).toEqual(['at once'])
})
