import { expect, it } from 'vitest'
import { citedIds } from '../helpers/cited-ids.ts'
import { finished, requirements } from '../helpers/requirements.ts'

it('every rule of a finished format is cited by a test', () => {
  const cited = citedIds()
  const uncited = finished.flatMap((format) => requirements[format].filter((id) => !cited.has(id)))
  expect(uncited).toEqual([])
})

it('every citation names a known rule', () => {
  const known = new Set<string>(Object.values(requirements).flat())
  expect([...citedIds()].filter((id) => !known.has(id))).toEqual([])
})
