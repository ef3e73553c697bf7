import { expect, it } from 'vitest'
import { keepMs } from './keep-ms.ts'
import { parseConfig } from './read-config-file.ts'

it.each([
  ['1m', 60_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['90d', 7_776_000_000],
  ['999999d', 86_399_913_600_000],
  ['forever', null],
])('%s is %s milliseconds', (text, ms) => {
  expect(keepMs(text)).toBe(ms)
})

it.each(['0d', '-1d', '1', 'd', '1w', '1.5h', '1000000d', 'never', ''])(
  '%j is no time that settings may name, so it is never asked for one',
  (text) => {
    const { values, problems } = parseConfig(`runs: { keep: "${text}" }\n`, '/crib/toolcrib.yaml')
    expect(values).toEqual({ runs: {} })
    expect(problems).toMatchObject([{ code: 'config-invalid' }])
  },
)
