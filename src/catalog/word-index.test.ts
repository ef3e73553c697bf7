import fc from 'fast-check'
import MiniSearch from 'minisearch'
import { expect, it } from 'vitest'
import { WordIndex } from './word-index.ts'

const boosts = [4, 1]
const word = fc.oneof(
  fc.constantFrom(
    'mail',
    'mails',
    'mailer',
    'Mail',
    'send',
    'sender',
    'sand',
    'deliver',
    'delivery',
    'a',
    'ab',
  ),
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 8 }),
)
const field = fc.array(word, { maxLength: 6 })
const documents = fc.array(fc.tuple(field, field), { maxLength: 30 })

/** What the library that this index stands in for says, by document. */
function expectedScores(
  texts: readonly (readonly string[][])[],
  query: readonly string[],
): Map<number, number> {
  const tokenize = (text: string): string[] => text.split(' ').filter((part) => part !== '')
  const index = new MiniSearch({ fields: ['0', '1'], idField: 'id', tokenize })
  index.addAll(texts.map(([first, second], id) => ({ id, 0: first!.join(' '), 1: second!.join(' ') })))
  const hits = index.search(query.join(' '), {
    prefix: (term) => term.length >= 3,
    fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
    boost: { 0: boosts[0]!, 1: boosts[1]! },
  })
  return new Map(hits.map((hit) => [hit.id as number, hit.score]))
}

it('scores are those of MiniSearch, beginnings and misspellings included', () => {
  fc.assert(
    fc.property(documents, fc.array(word, { maxLength: 5 }), (texts, query) => {
      const found = new WordIndex(texts, boosts).find(query, texts.length)
      const expected = expectedScores(texts, query)
      expect(found.map((hit) => hit.document).sort()).toEqual([...expected.keys()].sort())
      for (const { document, score } of found) expect(score).toBeCloseTo(expected.get(document)!, 8)
    }),
    { numRuns: 500 },
  )
})

it('a limit takes the best, and of equals the earlier ones', () => {
  fc.assert(
    fc.property(documents, field, fc.integer({ min: 1, max: 10 }), (texts, query, limit) => {
      const index = new WordIndex(texts, boosts)
      const all = index.find(query, texts.length)
      const ranked = [...all].sort((a, b) => b.score - a.score || a.document - b.document)
      expect(all).toEqual(ranked)
      expect(index.find(query, limit)).toEqual(all.slice(0, limit))
    }),
  )
})

it('an index of nothing finds nothing', () => {
  expect(new WordIndex([], boosts).find(['mail'], 20)).toEqual([])
})
