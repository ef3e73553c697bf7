// What travels packed, and for whom.
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { accepts, packedJson } from './compression.ts'

const asking = (encoding?: string) =>
  new Request('http://localhost/', { headers: encoding === undefined ? {} : { 'accept-encoding': encoding } })
const long = JSON.stringify({ text: 'a long answer '.repeat(200) })

it.each<[string | undefined, boolean]>([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0', false],
  ['x-gzip', false],
  ['', false],
  [undefined, false],
])('takes %s for a yes to gzip: %s', (given, expected) => {
  expect(accepts(asking(given), 'gzip')).toBe(expected)
})

it('packs JSON over 1 KB for whoever takes it so, and leaves the rest as it is', async () => {
  const packed = await packedJson(long, asking('gzip, br'))
  expect(packed.headers).toEqual({ vary: 'accept-encoding', 'content-encoding': 'gzip' })
  expect(gunzipSync(packed.body).toString()).toBe(long)
  expect(packed.body.length).toBeLessThan(long.length / 5)
  expect(await packedJson(long, asking())).toEqual({ body: long, headers: { vary: 'accept-encoding' } })
  expect(await packedJson('{}', asking('gzip'))).toEqual({ body: '{}', headers: {} })
})
