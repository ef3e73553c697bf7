import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { dueBetween, type Interval, nextDue, parseInterval } from './interval.ts'

function interval(given: object): Interval {
  const parsed = parseInterval(given)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

const day = 24 * 60 * 60 * 1000
const at = (text: string) => Date.parse(text)

/** One by one, as nobody has the time for. */
function walked(every: Interval, fromMs: number, toMs: number): { count: number; last: number | null } {
  let count = 0
  let last: number | null = null
  for (let due = nextDue(every, fromMs); due !== null && due <= toMs; due = nextDue(every, due)) {
    count++
    last = due
  }
  return { count, last }
}

/** Around changes of the clock: by an hour, by half an hour, at midnight, by a whole day, to another standard time. */
const changes: readonly (readonly [zone: string, around: string])[] = [
  ['UTC', '2024-02-29T00:00:00Z'],
  ['Europe/Berlin', '2025-03-30T01:00:00Z'],
  ['Europe/Berlin', '2025-10-26T01:00:00Z'],
  ['America/New_York', '2025-03-09T07:00:00Z'],
  ['America/New_York', '2025-11-02T06:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00:00Z'],
  ['Australia/Lord_Howe', '2025-10-04T15:30:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T15:00:00Z'],
  ['Asia/Kolkata', '2025-01-31T18:30:00Z'],
  ['Asia/Kathmandu', '2025-12-31T18:15:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Asia/Pyongyang', '2018-05-04T15:00:00Z'],
]

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 59))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
const weekday = fc.constantFrom('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun')
const field = (max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
    fc.integer({ min: 0, max }).map(String),
    fc.tuple(fc.integer({ min: 0, max }), fc.integer({ min: 0, max })).map((pair) => pair.join(',')),
  )
const expression = fc
  .tuple(
    field(59),
    field(23),
    fc.constantFrom('*', '*', '*', '30', '1-5', 'L', 'LW', '15W'),
    fc.constantFrom('*', '*', '*', '3,10', 'OCT-DEC'),
    fc.constantFrom('*', '*', '*', 'SUN', 'MON-FRI', '5#2', 'SUN#L', '+SUN'),
  )
  .map((fields) => fields.join(' '))
const given = fc.oneof(
  fc.record({ type: fc.constant('minutely'), every_n_minutes: fc.integer({ min: 1, max: 1440 }) }),
  fc.record({ type: fc.constant('hourly'), minute: fc.integer({ min: 0, max: 59 }) }),
  fc.record({ type: fc.constant('daily'), time }),
  fc.record({ type: fc.constant('weekly'), time, weekdays: fc.uniqueArray(weekday, { minLength: 1 }) }),
  fc.record({ type: fc.constant('monthly'), time, day_of_month: fc.integer({ min: 1, max: 31 }) }),
  fc.record({ type: fc.constant('nth_weekday'), time, nth: fc.constantFrom(1, 4, 5, 'last'), weekday }),
  fc.record({ type: fc.constant('cron'), expression }),
  fc.record({ type: fc.constant('cron'), expression: fc.constantFrom('@daily', '@hourly', '@monthly') }),
)

it('counts what walking from one due time to the next counts, also where clocks change', () => {
  verifies('C94', 'C91')
  fc.assert(
    fc.property(
      given,
      fc.constantFrom(...changes),
      fc.integer({ min: 0, max: 3 * day }),
      fc.integer({ min: 0, max: 3 * day }),
      fc.constantFrom(1, 1000, 60_000),
      (interval_, [timezone, around], before, after, grain) => {
        const every = parseInterval({ ...interval_, timezone })
        // A day that never comes is refused.
        fc.pre(typeof every !== 'string')
        const from = Math.floor((at(around) - before) / grain) * grain
        const to = Math.floor((at(around) + after) / grain) * grain
        expect(dueBetween(every, from, to)).toEqual(walked(every, from, to))
      },
    ),
    { numRuns: 150 },
  )
})

it.each<[object, string]>([
  [{ type: 'daily', time: '00:00', timezone: 'Pacific/Apia' }, '2010-01-01T00:00:00Z'],
  [{ type: 'hourly', minute: 15, timezone: 'Australia/Lord_Howe' }, '2025-03-01T00:00:00Z'],
  [{ type: 'monthly', time: '02:30', day_of_month: 31, timezone: 'Europe/Berlin' }, '2005-01-01T00:00:00Z'],
  [{ type: 'cron', expression: '30 2 * * *', timezone: 'Europe/Berlin' }, '2015-01-01T00:00:00Z'],
  [{ type: 'cron', expression: '0 0 29 2 *' }, '1990-01-01T00:00:00Z'],
])('counts years of %j exactly', (given, from) => {
  verifies('C94')
  const every = interval(given)
  expect(dueBetween(every, at(from), at('2025-06-01T12:00:00Z'))).toEqual(
    walked(every, at(from), at('2025-06-01T12:00:00Z')),
  )
})

it.each<[object, number]>([
  [{ type: 'cron', expression: '* * * * *' }, 15_779_520],
  [{ type: 'cron', expression: '* * * * *', timezone: 'Europe/Berlin' }, 15_779_520],
  [{ type: 'cron', expression: '*/5 8-17 * * MON-FRI', timezone: 'America/New_York' }, 939_240],
  [{ type: 'cron', expression: '0 12 * * *', timezone: 'Europe/Berlin' }, 10_958],
  [{ type: 'hourly', timezone: 'Asia/Kolkata' }, 262_992],
  [{ type: 'daily', time: '12:00', timezone: 'Europe/Berlin' }, 10_958],
  [{ type: 'minutely' }, 15_779_520],
])('counts thirty years of %j in a blink', (given, count) => {
  verifies('C94')
  const every = interval(given)
  const began = process.cpuUsage()
  expect(dueBetween(every, at('1995-01-01T00:00:00Z'), at('2025-01-01T00:00:00Z')).count).toBe(count)
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2_000)
})
