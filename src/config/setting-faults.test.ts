import { describe, expect, it } from 'vitest'
import { settingFaults } from './setting-faults.ts'

const only = (values: Record<string, unknown>) => {
  const faults = settingFaults(values)
  expect(faults).toHaveLength(1)
  return faults[0]!
}

it.each([
  {},
  { trust: 'warn', roots: ['.'] },
  { sandbox: 'required' },
  { sandbox: { mode: 'off' } },
  { grants: { tools: { 'a/**': ['net.http:example.com'] } } },
])('finds nothing in %j', (values) => {
  expect(settingFaults(values)).toEqual([])
})

describe('a key that nobody knows', () => {
  it('is named with the nearest one', () => {
    expect(only({ trsut: 'off' })).toMatchObject({
      keys: ['trsut'],
      code: 'config-unknown-key',
      hint: 'Did you mean "trust"?',
    })
  })

  it('is named whole where it stands deeper', () => {
    expect(only({ limits: { timeoutMS: 5 } })).toMatchObject({
      keys: ['limits', 'timeoutMS'],
      message: '"limits.timeoutMS" is no configuration key.',
      hint: 'Did you mean "timeoutMs"?',
    })
  })

  it('is told the known ones where none is near', () => {
    expect(only({ limits: { qqqqqqqqq: 1 } }).hint).toMatch(/^Known keys here: .*timeoutMs/)
  })

  it('of an entry in a map is told what entries have', () => {
    const { keys, hint } = only({ tools: { 'a/b': { qqqqqqqqqqq: 1 } } })
    expect(keys).toEqual(['tools', 'a/b', 'qqqqqqqqqqq'])
    expect(hint).toContain('secrets')
  })
})

describe('a value that a key cannot have', () => {
  it.each([
    [{ trust: 'maybe' }, 'trust'],
    [{ limits: { timeoutMs: 'soon' } }, 'limits.timeoutMs'],
    [{ roots: 'here' }, 'roots'],
    [{ serve: { port: 70_000 } }, 'serve.port'],
  ])('%j is named with its key', (values, key) => {
    const fault = only(values)
    expect(fault.code).toBe('config-invalid')
    expect(fault.message).toContain(`"${key}"`)
    expect(fault.hint).toContain('toolcrib schema config')
  })

  it('of skills has a code of its own', () => {
    expect(only({ skills: { contextMode: 'some' } }).code).toBe('skills-config-invalid')
  })
})

it('names every wrong key once', () => {
  const faults = settingFaults({ trust: 1, bus: 2, limits: { memoryMb: 'x', nope: 1 } })
  expect(faults.map(({ keys }) => keys.join('.')).sort()).toEqual([
    'bus',
    'limits.memoryMb',
    'limits.nope',
    'trust',
  ])
})
