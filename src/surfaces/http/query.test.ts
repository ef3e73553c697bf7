import { expect, it } from 'vitest'
import { t } from '../../tool/shape.ts'
import { readQuery } from './query.ts'

const shape = t.object({
  limit: t.integer({ minimum: 1, maximum: 10, default: 5 }),
  offset: t.optional(t.integer({ minimum: 0 })),
  ok: t.optional(t.boolean()),
  since: t.optional(t.time()),
  kind: t.optional(t.oneOf(['a', 'b'])),
  tag: t.optional(t.list(t.text())),
  q: t.optional(t.text()),
})
const read = (query: string) => readQuery(shape, new URLSearchParams(query))

it.each([
  ['', { limit: 5 }],
  ['limit=3&offset=0&q=x', { limit: 3, offset: 0, q: 'x' }],
  ['limit=&q=&tag=', { limit: 5 }],
  ['ok', { limit: 5, ok: true }],
  ['ok=1', { limit: 5, ok: true }],
  ['ok=0', { limit: 5, ok: false }],
  ['tag=x&tag=y', { limit: 5, tag: ['x', 'y'] }],
  ['since=2030-01-31', { limit: 5, since: '2030-01-31T00:00:00.000Z' }],
  ['kind=b&unknown=1', { limit: 5, kind: 'b' }],
])('reads "%s" as declared', (query, values) => {
  expect(read(query)).toEqual(values)
})

it.each([
  ['limit=0', 'limit is a whole number from 1 to 10, not "0".'],
  ['offset=-1', 'offset is a whole number of at least 0, not "-1".'],
  ['ok=maybe', 'ok is true or false, not "maybe".'],
  ['since=soon', 'since is a time like 2030-01-31T12:00:00Z, not "soon".'],
  ['kind=c', 'kind is one of a, b.'],
])('refuses "%s" and names it', (query, message) => {
  expect(() => read(query)).toThrow(message)
})

it('says what is missing', () => {
  const wanting = t.object({ q: t.text({ description: 'The words to search for.' }) })
  expect(() => readQuery(wanting, new URLSearchParams())).toThrow('q is missing: the words to search for.')
})
