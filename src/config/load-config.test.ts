// Settings that come from elsewhere than a file are checked like those of one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { openCrib } from '../crib/open-crib.ts'
import type { GivenConfig } from './config.ts'
import { FolderTrust } from './folder-trust.ts'
import { loadConfig } from './load-config.ts'
import { spacesOf } from './spaces.ts'

const load = (config: object, env: NodeJS.ProcessEnv = {}, files: { [path: string]: string } = {}) => {
  const root = tempFolder(files)
  const spaces = spacesOf(root, { HOME: root })
  const trust = new FolderTrust(spaces, {}, true)
  return loadConfig({ spaces, env: { HOME: root, ...env }, overrides: config as GivenConfig, trust })
}

describe('openCrib({ config })', () => {
  it.each([
    [{ skils: {} }, '"skils" is no configuration key.', 'Did you mean "skills"?'],
    [{ limits: { timoutMs: 1 } }, '"limits.timoutMs" is no configuration key.', 'Did you mean "timeoutMs"?'],
    [
      { tools: { adder: { netwrk: true } } },
      '"tools.adder.netwrk" is no configuration key.',
      'Did you mean "network"?',
    ],
    [{ sandbox: { mod: 'off' } }, '"sandbox.mod" is no configuration key.', 'Did you mean "mode"?'],
    [
      { skills: { allowScripts: 'yes' } },
      '"skills.allowScripts" must be boolean.',
      'See `toolcrib schema config`.',
    ],
    [
      { trust: 'requrie' },
      '"trust" must be one of "off", "warn", "require".',
      'See `toolcrib schema config`.',
    ],
  ])('refuses %j', async (config, message, hint) => {
    // G26
    await expect(load(config)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    })
  })

  it('is typed key by key', () => {
    const given: GivenConfig = { sandbox: 'off', limits: { timeoutMs: 10 }, grants: { default: [] } }
    // @ts-expect-error: no such key
    const unknown: GivenConfig = { skils: {} }
    // @ts-expect-error: a number
    const mistyped: GivenConfig = { limits: { timeoutMs: 'long' } }
    expect([given, unknown, mistyped]).toHaveLength(3)
  })

  it('takes the short form and leaves the rest as it is', async () => {
    const { config, problems } = await load({ sandbox: 'off', limits: { memoryMb: 64 } })
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      sandbox: { mode: 'off', require: [] },
      limits: { memoryMb: 64, processes: 512 },
    })
  })
})

it('a variable that cannot be meant is a problem that names it, and no setting', async () => {
  const { config, problems, fault } = await load({}, { TOOLCRIB_TRUST: 'requrie', TOOLCRIB_PORT: '5000' })
  expect(config).toMatchObject({ trust: 'warn', serve: { port: 5000 } })
  expect(problems).toMatchObject([
    {
      code: 'config-invalid',
      message: expect.stringContaining('environment TOOLCRIB_TRUST: "trust" must be'),
    },
  ])
  expect(fault).toBe(problems[0])
})

it('with wrong settings no tool is offered, and each says why', async () => {
  verifies('T11')
  const root = tempFolder({
    'toolcrib.yaml': 'skills: { allowScripts: "yes" }\n',
    'skills/hello/SKILL.md': '---\nname: hello\ndescription: Says hello.\n---\nHello.\n',
  })
  await using crib = await openCrib({ root, env: { HOME: root } })
  crib.addTools([{ id: 'echo', fn: (params: unknown) => params }])
  expect(crib.list()).toEqual([])
  const reason = `"skills.allowScripts" must be boolean. (${join(root, 'toolcrib.yaml')}:1:11)`
  expect(crib.list({ all: true }).filter((tool) => tool.state === 'available')).toEqual([])
  expect(crib.find('echo')).toMatchObject({ state: 'unavailable', reason })
  expect(await crib.call('echo', {})).toMatchObject({
    ok: false,
    error: { code: 'CONFIG_INVALID', message: reason },
  })

  writeFileSync(join(root, 'toolcrib.yaml'), 'skills: { allowScripts: true }\n# changed\n')
  await crib.reload()
  expect(crib.list().map((tool) => tool.id)).toContain('echo')
})
