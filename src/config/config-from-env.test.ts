import { describe, expect, it } from 'vitest'
import { configFromEnv, envNameOf } from './config-from-env.ts'

const valuesOf = (env: NodeJS.ProcessEnv) => configFromEnv(env).map(({ values }) => values)

it.each([
  ['TOOLCRIB_TRUST', 'require', { trust: 'require' }],
  ['TOOLCRIB_SANDBOX', 'off', { sandbox: { mode: 'off' } }],
  ['TOOLCRIB_HOST', '::1', { serve: { host: '::1' } }],
  ['TOOLCRIB_PORT', '80', { serve: { port: 80 } }],
  ['TOOLCRIB_LIMITS_TIMEOUTMS', '1500', { limits: { timeoutMs: 1500 } }],
  ['TOOLCRIB_STORE', 'postgres://db/crib', { store: 'postgres://db/crib' }],
  ['TOOLCRIB_SKILLS_ALLOWSCRIPTS', 'true', { skills: { allowScripts: true } }],
])('%s=%s is one setting', (name, text, values) => {
  expect(valuesOf({ [name]: text })).toEqual([values])
})

describe('a list', () => {
  it('is parted by commas, with the spaces around them gone', () => {
    expect(valuesOf({ TOOLCRIB_ENV_EXPOSE: 'LANG, TZ ,HOME' })).toEqual([
      { env: { expose: ['LANG', 'TZ', 'HOME'] } },
    ])
  })

  it('may be JSON, so that an item can hold a comma', () => {
    expect(valuesOf({ TOOLCRIB_ROOTS: '["a,b", "c"]' })).toEqual([{ roots: ['a,b', 'c'] }])
  })
})

it('keeps a text as it is that looks like a number, where a text is wanted', () => {
  expect(valuesOf({ TOOLCRIB_STORE: '1' })).toEqual([{ store: '1' }])
})

it('gives what is no JSON on as text, so that the check of settings names it', () => {
  expect(valuesOf({ TOOLCRIB_LIMITS_TIMEOUTMS: 'soon' })).toEqual([{ limits: { timeoutMs: 'soon' } }])
})

it('takes an empty variable for one that is not set, and knows nothing of others', () => {
  expect(configFromEnv({ TOOLCRIB_TRUST: '', TOOLCRIB_NO_SUCH: '1', TRUST: 'off' })).toEqual([])
})

it('names each variable as where its value comes from, in one order', () => {
  const env = { TOOLCRIB_TRUST: 'off', TOOLCRIB_BUS: 'memory' }
  expect(configFromEnv(env).map(({ from }) => from)).toEqual([
    'environment TOOLCRIB_BUS',
    'environment TOOLCRIB_TRUST',
  ])
})

it.each(['trust', 'serve.host', 'serve.port', 'sandbox.mode', 'limits.timeoutMs', 'env.expose'])(
  'the variable that is named for %s sets it',
  (path) => {
    const [layer] = configFromEnv({ [envNameOf(path)]: '1' })
    const found = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], layer!.values)
    expect(String(found)).toBe('1')
  },
)
