// Which runs belong to one: by what their records say, not by how their ids sort.
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { ChangeLog } from './change-log.ts'
import { familyOf, findRun } from './undo-runs.ts'

const outer = '0199a000-0000-7800-8000-000000000000'

describe('what a run caused', () => {
  it.each([
    ['in the same millisecond, with an id that sorts before', '0199a000-0000-7001-8000-000000000000'],
    ['after the clock was set back', '01999fff-fff0-7001-8000-000000000000'],
    ['with an id that tells no time', 'by-hand'],
  ])('is found %s', (_, inner) => {
    verifies('E14')
    const log = new ChangeLog(tempFolder())
    log.save({ run: inner, within: [outer], tool: 'a', at: '2026-01-01', state: 'committed', steps: [] })
    expect(findRun(log, outer)).toBe(outer)
    expect(findRun(log, outer.slice(0, 18))).toBe(outer)
    expect(familyOf(log, outer).map(({ run }) => run)).toEqual([inner])
  })
})
