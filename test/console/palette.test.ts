// What the palette finds.
import { describe, expect, it } from 'vitest'
import { indexEntries, wordsIn } from '../../console/src/state/palette-index.ts'
import { verifies } from '../helpers/verifies.ts'

describe('the palette', () => {
  const index = indexEntries(
    [
      ['text/count', 'Counts words'],
      ['word-count', 'Another one'],
      ['sendMail', 'Sends a letter'],
      ['web/get', 'count of nothing'],
    ].map(([title, words]) => ({ key: title!, title: title!, words: words! })),
  )
  const found = (text: string) => index.find(text, 10).map(({ title }) => title)

  it.each([
    ['coun', ['text/count', 'word-count', 'web/get']],
    ['count word', ['text/count', 'word-count']],
    ['mail', ['sendMail']],
    ['lettr', ['sendMail']],
    ['nothing like it', []],
    ['<script>', []],
  ])('finds for %j', (text, titles) => {
    verifies('V7')
    expect(found(text).sort()).toEqual([...titles].sort())
  })

  it('puts what is called so before what only speaks of it', () => {
    verifies('V7')
    expect(found('count').at(-1)).toBe('web/get')
  })

  it('takes ids apart', () => {
    expect(wordsIn('web/fetch-priceList_2.0 Größe')).toEqual([
      'web',
      'fetch',
      'price',
      'List',
      '2',
      '0',
      'Größe',
    ])
  })
})
