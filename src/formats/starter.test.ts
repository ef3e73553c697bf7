import { describe, expect, it } from 'vitest'
import { formats } from './registry.ts'
import { namesOf } from './starter.ts'

describe('the starter of a format', () => {
  const cases = formats.flatMap(({ name, starter, template }) =>
    (starter?.languages ?? []).map((language) => ({ name, language, starter, template })),
  )

  it.each(cases)('writes $name in $language with every name filled in', ({ language, starter, template }) => {
    const files = template!(starter!.sampleId, language)
    expect(Object.keys(files).length).toBeGreaterThan(0)
    for (const text of Object.values(files))
      expect(text).not.toMatch(/\{\{(id|kebab|snake|title|schemas)\}\}/)
  })

  it('writes its first language when none is named', () => {
    for (const { starter, template } of formats)
      if (starter) expect(template!('a')).toEqual(template!('a', starter.languages[0]))
  })
})

it('spells an id as formats need it', () => {
  expect(namesOf('text/Word_Count')).toEqual({
    id: 'text/Word_Count',
    category: 'text',
    kebab: 'word-count',
    snake: 'word_count',
    title: 'Word Count',
  })
})
