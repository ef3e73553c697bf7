import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { makeScrubber } from './scrub.ts'

it('replaces values in texts, keys and nested data by the name of the secret', () => {
  verifies('C56')
  const scrub = makeScrubber({ TOKEN: 'abc"123', SHORT: 'abcde', LONGER: 'abc"123456' })
  expect(scrub.text('x abc"123456 abc"123 abcde')).toBe('x [secret:LONGER] [secret:TOKEN] abcde')
  expect(scrub.text(JSON.stringify({ k: 'abc"123' }))).toBe('{"k":"[secret:TOKEN]"}')
  expect(scrub.text('https://x/?t=abc%22123')).toBe('https://x/?t=[secret:TOKEN]')
  expect(scrub.value({ a: ['abc"123', 1], 'abc"123': null })).toEqual({
    a: ['[secret:TOKEN]', 1],
    '[secret:TOKEN]': null,
  })
})

it('gives back the same object when there is nothing to take out', () => {
  const value = { a: [1, { b: 'x' }] }
  expect(makeScrubber({ TOKEN: 'abcdef' }).value(value)).toBe(value)
})

it('leaves no value of six characters or more in any data', () => {
  verifies('C56')
  fc.assert(
    fc.property(fc.string({ minLength: 6, maxLength: 20 }), fc.jsonValue(), (secret, data) => {
      fc.pre(!'[secret:S]'.includes(secret))
      const clean = makeScrubber({ S: secret }).value({ data, list: [secret, `x${secret}y`], [secret]: 1 })
      expect(collect(clean).some((text) => text.includes(secret))).toBe(false)
    }),
  )
})

function collect(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [key, ...collect(item)])
}

it('finds a value of several lines by each of them, and as JavaScript shows it', () => {
  verifies('C56')
  const scrubber = makeScrubber({ KEY: `-----BEGIN-----\nAAAA "b' \\ c\nend` })
  expect(scrubber.text(`'-----BEGIN-----\\n' +\n  \`AAAA "b' \\\\ c\\n\` +\n 'end'`)).toBe(
    `'[secret:KEY]\\n' +\n  \`[secret:KEY]\\n\` +\n 'end'`,
  )
})
