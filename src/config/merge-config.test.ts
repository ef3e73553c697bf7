import { describe, expect, it } from 'vitest'
import { defaultConfig } from './config.ts'
import { type ConfigLayer, mergeConfig } from './merge-config.ts'

const layer = (from: string, values: ConfigLayer['values']): ConfigLayer => ({ from, values })

it('is the defaults where nothing is written, and no layer is named', () => {
  expect(mergeConfig([])).toEqual({ config: defaultConfig, origins: {} })
})

it('does not share a list with the defaults, which a later change would reach', () => {
  const { config } = mergeConfig([])
  expect(config.roots).not.toBe(defaultConfig.roots)
  expect(config.grants.default).not.toBe(defaultConfig.grants.default)
})

it('takes the last layer that says something, and remembers which', () => {
  const { config, origins } = mergeConfig([
    layer('user', { trust: 'require', limits: { timeoutMs: 5 } }),
    layer('project', { trust: 'off' }),
    layer('environment TOOLCRIB_LIMITS_TIMEOUTMS', { limits: { timeoutMs: 7 } }),
  ])
  expect([config.trust, config.limits.timeoutMs]).toEqual(['off', 7])
  expect(origins).toEqual({
    trust: 'project',
    'limits.timeoutMs': 'environment TOOLCRIB_LIMITS_TIMEOUTMS',
  })
})

it('keeps the members of a map that a layer does not name', () => {
  const { config } = mergeConfig([layer('project', { limits: { memoryMb: 64 } })])
  expect(config.limits).toEqual({ ...defaultConfig.limits, memoryMb: 64 })
})

it('replaces a list as a whole', () => {
  const { config } = mergeConfig([
    layer('user', { grants: { default: ['fs.read'] } }),
    layer('project', { grants: { default: ['net.http'] } }),
  ])
  expect(config.grants.default).toEqual(['net.http'])
})

it('does not take a member that is undefined for a value', () => {
  const { config, origins } = mergeConfig([layer('flags', { trust: undefined })])
  expect(config.trust).toBe(defaultConfig.trust)
  expect(origins).toEqual({})
})

describe('a map whose keys are the user’s own', () => {
  it.each([
    ['grants', 'tools', ['fs.read'], ['net.http']],
    ['fleet', 'tools', 1, 2],
    ['effects', 'tools', 'hold', 'commit'],
    ['mcp', 'servers', { command: 'a' }, { url: 'http://b' }],
    ['skills', 'nonlocals', { a: 1 }, { b: 2 }],
  ])('%s.%s is merged by key, each entry replaced whole', (group, name, first, second) => {
    const { config, origins } = mergeConfig([
      layer('user', { [group]: { [name]: { both: first, mine: first } } }),
      layer('project', { [group]: { [name]: { both: second } } }),
    ])
    const merged = (config as unknown as Record<string, Record<string, unknown>>)[group]![name]
    expect(merged).toEqual({ both: second, mine: first })
    expect(origins[`${group}.${name}.both`]).toBe('project')
    expect(origins[`${group}.${name}.mine`]).toBe('user')
  })

  it.each(['tools', 'models'])('%s too', (name) => {
    const { config } = mergeConfig([
      layer('user', { [name]: { one: { a: 1, b: 1 } } }),
      layer('project', { [name]: { one: { a: 2 } } }),
    ])
    expect((config as unknown as Record<string, unknown>)[name]).toEqual({ one: { a: 2 } })
  })
})

describe('short forms', () => {
  it('takes `sandbox: required` for its mode, and leaves the rest of the sandbox', () => {
    const { config, origins } = mergeConfig([
      layer('user', { sandbox: { require: ['network'] } }),
      layer('project', { sandbox: 'required' }),
    ])
    expect(config.sandbox).toMatchObject({ mode: 'required', require: ['network'] })
    expect(origins['sandbox.mode']).toBe('project')
  })

  it('leaves out the name of the schema, which is no setting', () => {
    const { config, origins } = mergeConfig([layer('project', { $schema: './schema.json' })])
    expect(config).toEqual(defaultConfig)
    expect(origins).toEqual({})
  })
})
