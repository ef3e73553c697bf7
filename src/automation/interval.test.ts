import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Interval, nextDue, parseInterval, previousDue } from './interval.ts'

function interval(given: object): Interval {
  const parsed = parseInterval(given)
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

const at = (text: string) => Date.parse(text)
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace('.000Z', 'Z'))

describe('the next due time', () => {
  it.each<[string, object, string, string]>([
    ['every minute', { type: 'minutely' }, '2025-01-01T00:00:30Z', '2025-01-01T00:01:00Z'],
    [
      'every 15 minutes',
      { type: 'minutely', every_n_minutes: 15 },
      '2025-01-01T00:15:00Z',
      '2025-01-01T00:30:00Z',
    ],
    ['hourly', { type: 'hourly', minute: 30 }, '2025-01-01T00:30:00Z', '2025-01-01T01:30:00Z'],
    [
      'hourly in a zone of half hours',
      { type: 'hourly', minute: 0, timezone: 'Asia/Kolkata' },
      '2025-01-01T00:00:00Z',
      '2025-01-01T00:30:00Z',
    ],
    ['daily', { type: 'daily', time: '09:00' }, '2025-01-01T09:00:00Z', '2025-01-02T09:00:00Z'],
    [
      'daily in Tokyo',
      { type: 'daily', time: '00:30', timezone: 'Asia/Tokyo' },
      '2025-01-01T00:00:00Z',
      '2025-01-01T15:30:00Z',
    ],
    [
      'weekly',
      { type: 'weekly', time: '08:00', weekdays: ['mon', 'fri'] },
      '2025-01-01T00:00:00Z',
      '2025-01-03T08:00:00Z',
    ],
    [
      'monthly by day',
      { type: 'monthly', time: '12:00', day_of_month: 31 },
      '2025-01-31T12:00:00Z',
      '2025-03-31T12:00:00Z',
    ],
    [
      'second Tuesday',
      { type: 'monthly', time: '12:00', nth_weekday: { nth: 2, weekday: 'tue' } },
      '2025-01-01T00:00:00Z',
      '2025-01-14T12:00:00Z',
    ],
    [
      'last Friday',
      { type: 'monthly', time: '12:00', nth_weekday: { nth: 'last', weekday: 'fri' } },
      '2025-02-01T00:00:00Z',
      '2025-02-28T12:00:00Z',
    ],
    [
      'fifth Monday, where there is one',
      { type: 'nth_weekday', time: '12:00', nth: 5, weekday: 'mon' },
      '2025-01-01T00:00:00Z',
      '2025-03-31T12:00:00Z',
    ],
    ['cron', { type: 'cron', expression: '*/20 9 * * 1-5' }, '2025-01-04T00:00:00Z', '2025-01-06T09:00:00Z'],
    [
      'a nickname',
      { type: 'cron', expression: '@daily', timezone: 'Europe/Berlin' },
      '2025-01-01T00:00:00Z',
      '2025-01-01T23:00:00Z',
    ],
  ])('of %s', (_, given, after, expected) => {
    verifies('C90')
    expect(iso(nextDue(interval(given), at(after)))).toBe(expected)
  })

  // A time in a gap is due at the first instant after it, one that comes twice is due the first time only.
  it.each([
    ['America/New_York', '02:30', '2025-03-08T12:00:00Z', '2025-03-09T07:00:00Z', '2025-03-10T06:30:00Z'],
    ['America/New_York', '01:30', '2025-11-01T12:00:00Z', '2025-11-02T05:30:00Z', '2025-11-03T06:30:00Z'],
    ['Europe/Berlin', '02:00', '2025-03-29T12:00:00Z', '2025-03-30T01:00:00Z', '2025-03-31T00:00:00Z'],
    ['Europe/Berlin', '02:30', '2025-10-25T12:00:00Z', '2025-10-26T00:30:00Z', '2025-10-27T01:30:00Z'],
    ['America/Sao_Paulo', '00:00', '2018-11-03T12:00:00Z', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    ['America/Sao_Paulo', '23:30', '2018-02-17T12:00:00Z', '2018-02-18T01:30:00Z', '2018-02-19T02:30:00Z'],
    ['America/Havana', '00:30', '2025-11-01T12:00:00Z', '2025-11-02T04:30:00Z', '2025-11-03T05:30:00Z'],
    ['Australia/Lord_Howe', '02:15', '2025-10-04T00:00:00Z', '2025-10-04T15:30:00Z', '2025-10-05T15:15:00Z'],
    ['Australia/Lord_Howe', '01:45', '2025-04-05T00:00:00Z', '2025-04-05T14:45:00Z', '2025-04-06T15:15:00Z'],
    ['Africa/Cairo', '00:15', '2025-04-24T12:00:00Z', '2025-04-24T22:00:00Z', '2025-04-25T21:15:00Z'],
    ['Asia/Pyongyang', '23:45', '2018-05-04T00:00:00Z', '2018-05-04T15:00:00Z', '2018-05-05T14:45:00Z'],
    ['America/Nuuk', '23:30', '2025-03-29T12:00:00Z', '2025-03-30T01:00:00Z', '2025-03-31T00:30:00Z'],
    ['Pacific/Apia', '12:30', '2011-12-30T09:00:00Z', '2011-12-30T10:00:00Z', '2011-12-30T22:30:00Z'],
    ['Antarctica/Troll', '02:30', '2025-03-29T12:00:00Z', '2025-03-30T01:00:00Z', '2025-03-31T00:30:00Z'],
    ['Antarctica/Troll', '01:30', '2025-10-25T12:00:00Z', '2025-10-25T23:30:00Z', '2025-10-27T01:30:00Z'],
  ])('in %s at %s, where the clock changes', (timezone, time, after, first, second) => {
    verifies('C91', 'C-case-48')
    const daily = interval({ type: 'daily', time, timezone })
    expect(iso(nextDue(daily, at(after)))).toBe(first)
    expect(iso(nextDue(daily, at(first)))).toBe(second)
    expect(iso(previousDue(daily, at(second) - 1))).toBe(first)
  })

  it('of hourly and minutely intervals follows real time through both changes', () => {
    verifies('C91')
    const hourly = interval({ type: 'hourly', minute: 15, timezone: 'America/New_York' })
    for (const day of ['2025-03-09', '2025-11-02'])
      for (let hour = 4; hour < 9; hour++)
        expect(iso(nextDue(hourly, at(`${day}T0${hour}:15:00Z`)))).toBe(`${day}T0${hour + 1}:15:00Z`)
  })
})

describe('the previous due time', () => {
  it.each<[object]>([
    [{ type: 'minutely', every_n_minutes: 7 }],
    [{ type: 'hourly', minute: 45, timezone: 'Asia/Kathmandu' }],
    [{ type: 'daily', time: '02:30', timezone: 'America/New_York' }],
    [{ type: 'weekly', time: '01:30', weekdays: ['sun'], timezone: 'America/New_York' }],
    [{ type: 'monthly', time: '23:59', nth_weekday: { nth: 'last', weekday: 'sun' } }],
    [{ type: 'cron', expression: '5 4 * * *', timezone: 'Europe/Berlin' }],
  ])('of %j is the inverse of the next one', (given) => {
    verifies('C95')
    const every = interval(given)
    let due = nextDue(every, at('2025-02-20T00:00:00Z'))!
    for (let n = 0; n < 40; n++) {
      const following = nextDue(every, due)!
      expect(following).toBeGreaterThan(due)
      expect(previousDue(every, due)).toBe(due)
      expect(previousDue(every, following - 1000)).toBe(due)
      due = following
    }
  })
})

it.each<[string, unknown]>([
  ['no interval', undefined],
  ['an unknown type', { type: 'yearly' }],
  ['0 minutes', { type: 'minutely', every_n_minutes: 0 }],
  ['1441 minutes', { type: 'minutely', every_n_minutes: 1441 }],
  ['minute 60', { type: 'hourly', minute: 60 }],
  ['time 25:00', { type: 'daily', time: '25:00' }],
  ['no time', { type: 'daily' }],
  ['no weekdays', { type: 'weekly', time: '09:00', weekdays: [] }],
  ['an unknown weekday', { type: 'weekly', time: '09:00', weekdays: ['xyz'] }],
  ['day 32', { type: 'monthly', time: '09:00', day_of_month: 32 }],
  [
    'day and weekday',
    { type: 'monthly', time: '09:00', day_of_month: 1, nth_weekday: { nth: 1, weekday: 'mon' } },
  ],
  ['neither day nor weekday', { type: 'monthly', time: '09:00' }],
  ['nth 6', { type: 'nth_weekday', time: '09:00', nth: 6, weekday: 'mon' }],
  ['an unknown zone', { type: 'daily', time: '09:00', timezone: 'Mars/Olympus' }],
  ['cron minute 61', { type: 'cron', expression: '61 * * * *' }],
  ['a weekday that only begins like one', { type: 'weekly', time: '09:00', weekdays: ['monkey'] }],
  ['a cron line for 31 April', { type: 'cron', expression: '0 0 31 4 *' }],
  ['cron with six fields', { type: 'cron', expression: '0 0 * * * *' }],
])('refuses %s in words', (_, given) => {
  verifies('C90', 'C-case-52')
  expect(parseInterval(given)).toEqual(expect.any(String))
})

it.each<[object, string[]]>([
  [{ type: 'minutely', every_n_minutes: 15 }, ['interval:minutely', 'every:15']],
  [{ type: 'hourly', minute: 30 }, ['interval:hourly', 'minute:30']],
  [{ type: 'daily', time: '09:00' }, ['interval:daily', 'time:09:00']],
  [
    { type: 'weekly', time: '09:00', weekdays: ['mon', 'wed', 'fri'] },
    ['interval:weekly', 'time:09:00', 'weekdays:mon-wed-fri'],
  ],
  [{ type: 'monthly', time: '09:00', day_of_month: 1 }, ['interval:monthly', 'time:09:00', 'day:1']],
  [
    { type: 'nth_weekday', time: '09:00', nth: 2, weekday: 'tue' },
    ['interval:nth_weekday', 'time:09:00', 'nth:2nd-tue'],
  ],
])('derives the labels of %j', (given, labels) => {
  verifies('C93')
  expect(interval(given).labels).toEqual(labels)
})
