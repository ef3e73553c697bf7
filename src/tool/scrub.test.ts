import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { makeScrubber, SecretScrubber } from './scrub.ts'

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

it('finds a value whose characters are written as escapes, all or some of them', () => {
  const scrubber = makeScrubber({ TOKEN: 's3cret-välue' })
  const escaped = (text: string, every: number) =>
    [...text]
      .map((char, index) =>
        index % every === 0 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char,
      )
      .join('')
  for (const every of [1, 2, 5])
    expect(scrubber.text(`{"a":"x${escaped('s3cret-välue', every)}y","b":"\\u00e9"}`)).toBe(
      '{"a":"x[secret:TOKEN]y","b":"\\u00e9"}',
    )
  expect(scrubber.text('\\u0073\\u12 \\uzzzz')).toBe('\\u0073\\u12 \\uzzzz')
})

it('finds a value that is a JSON number', () => {
  const scrubber = makeScrubber({ PIN: '00123456', CARD: '12345678901234567890', SHORT: '12345' })
  expect(
    scrubber.value({ a: 123456, b: [JSON.parse('12345678901234567890')], c: 12345, d: 1234567 }),
  ).toEqual({
    a: '[secret:PIN]',
    b: ['[secret:CARD]'],
    c: 12345,
    d: 1234567,
  })
  expect(scrubber.text('{"n":12345678901234567890}')).toBe('{"n":[secret:CARD]}')
})

it('leaves no beginning of a value where a line was cut', () => {
  verifies('C56')
  const scrubber = makeScrubber({ TOKEN: 'abcdefghijkl' })
  expect(scrubber.text('x abcdefgh [line cut]')).toBe('x [secret:TOKEN] [line cut]')
  expect(scrubber.text('x abcde [cut]')).toBe('x abcde [cut]')
})

it('learns of values as they are handed out', () => {
  const scrubber = new SecretScrubber()
  expect(scrubber.value('abcdefgh')).toBe('abcdefgh')
  scrubber.add('TOKEN', 'abcdef')
  scrubber.add('OTHER', 'abcdefgh')
  expect(scrubber.text('abcdefgh abcdef')).toBe('[secret:OTHER] [secret:TOKEN]')
})
