// The proof of L1: how many hostile tools are named for what they do, and how many harmless ones are accused.
import { expect, it } from 'vitest'
import { inferCode } from '../../src/trust/inference/infer-code.ts'
import { verifies } from '../helpers/verifies.ts'
import { corpus, faultsOf } from './corpus.ts'
import { sampleOf, samples } from './time-section.ts'

const all = corpus()

it('holds at least 120 hostile and 120 harmless tools in three languages, of about equal length', () => {
  verifies('L1')
  const meanLength = (nature: string) => {
    const lengths = all.filter((one) => one.nature === nature).map(({ code }) => code.length)
    expect(lengths.length).toBeGreaterThanOrEqual(120)
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  }
  expect(meanLength('hostile') / meanLength('harmless')).toBeGreaterThan(0.7)
  expect(meanLength('hostile') / meanLength('harmless')).toBeLessThan(1.4)
  expect(new Set(all.map(({ language }) => language)).size).toBe(3)
})

it.each([
  ['hostile', 0.05],
  ['harmless', 0.02],
] as const)('is wrong about at most its share of the %s tools (%d)', (nature, share) => {
  verifies('L1')
  const own = all.filter((one) => one.nature === nature)
  const wrong = own.flatMap((one) => {
    const faults = faultsOf(one)
    return faults.length > 0 ? [`${one.language}: ${one.name}: ${faults.join(' ')}`] : []
  })
  expect(wrong.length / own.length, wrong.join('\n')).toBeLessThanOrEqual(share)
})

it.each(Object.keys(samples) as (keyof typeof samples)[])(
  'reads the whole file of %s whose reading is timed',
  (language) => {
    const text = sampleOf(language)
    expect(text.split('\n').length).toBeGreaterThan(280)
    const told = inferCode(text, `sample.${samples[language]}`).map(({ detail }) => detail ?? '')
    expect(told.filter((detail) => /syntax|parsed|too long/.test(detail))).toEqual([])
    expect(told.length).toBeGreaterThan(10)
  },
)
