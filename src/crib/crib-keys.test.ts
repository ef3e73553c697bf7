import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mergeConfig } from '../config/merge-config.ts'
import type { Spaces } from '../config/spaces.ts'
import { auditFolder, chainSeal, secretsKey } from './crib-keys.ts'

const spaces = { project: '/crib', home: '/home/ada', userConfig: '/home/ada/.config/toolcrib' } as Spaces

function parts(values: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = {}) {
  const { config } = mergeConfig([{ from: 'project', values }])
  return { config: () => config, spaces, env: { HOME: '/home/ada', ...env } }
}

describe('the key of the secrets', () => {
  it('is in the user’s configuration where nothing is said', () => {
    expect(secretsKey(parts())).toEqual({
      keyFile: '/home/ada/.config/toolcrib/secrets.key',
      isKeyConfigured: false,
      keyText: undefined,
    })
  })

  it.each([
    ['/etc/key', '/etc/key'],
    ['~/key', '/home/ada/key'],
    ['keys/own', '/crib/keys/own'],
    ['~ada/key', '/crib/~ada/key'],
  ])('is in the configured file: %s is %s', (file, path) => {
    expect(secretsKey(parts({ secrets: { file } }))).toMatchObject({ keyFile: path, isKeyConfigured: true })
  })

  it('is a variable where the settings name one, whatever the usual variable says', () => {
    const env = { MINE: 'abc', TOOLCRIB_SECRETS_KEY: 'other' }
    expect(secretsKey(parts({ secrets: { file: 'env://MINE' } }, env))).toMatchObject({
      keyText: 'abc',
      isKeyConfigured: true,
    })
  })

  it('is the usual variable where it is set, and not when it is empty', () => {
    expect(secretsKey(parts({}, { TOOLCRIB_SECRETS_KEY: 'abc' })).keyText).toBe('abc')
    expect(secretsKey(parts({}, { TOOLCRIB_SECRETS_KEY: '' })).keyText).toBeUndefined()
  })
})

describe('the seal of the audit chain', () => {
  it('is kept with the user, out of the project', () => {
    expect(auditFolder(spaces)).toBe(join(spaces.userConfig, 'audit'))
  })

  it('is not made for a store that is gone with the process', () => {
    expect(chainSeal(parts({ store: ':memory:' }))).toBeUndefined()
    expect(chainSeal(parts())).toBeDefined()
  })
})
