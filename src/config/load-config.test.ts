// Settings that come from elsewhere than a file are checked like those of one.
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

describe('a path in settings', () => {
  const paths = async (values: object, env: NodeJS.ProcessEnv = {}) => {
    const root = tempFolder({ 'home/.config/toolcrib/config.yaml': JSON.stringify(values), 'crib/x': '' })
    const home = join(root, 'home')
    const spaces = spacesOf(join(root, 'crib'), { HOME: home })
    const trust = new FolderTrust(spaces, {}, true)
    const { config } = await loadConfig({ spaces, env: { HOME: home, ...env }, trust })
    return { config, home, crib: spaces.project }
  }

  it('is relative to the file that names it', async () => {
    const { config, home } = await paths({ roots: ['tools', '/opt'], plugins: ['./p.mjs'], store: 'crib.db' })
    const folder = join(home, '.config/toolcrib')
    expect(config.roots).toEqual([join(folder, 'tools'), '/opt'])
    expect(config.plugins).toEqual([join(folder, 'p.mjs')])
    expect(config.store).toBe(join(folder, 'crib.db'))
  })

  it('is relative to the crib where a variable names it', async () => {
    const { config, crib } = await paths({ roots: ['tools'] }, { TOOLCRIB_ROOTS: 'mine' })
    expect(config.roots).toEqual([join(crib, 'mine')])
  })

  it('with ~ is in the home folder of the environment that is given, not of this process', async () => {
    const skills = { directory: '~/skills', extraDirs: ['~'] }
    const { config, home } = await paths({ roots: ['~/tools', '~ada'], skills, secrets: { file: '~/key' } })
    expect(config.roots).toEqual([join(home, 'tools'), join(home, '.config/toolcrib', '~ada')])
    expect(config.skills).toMatchObject({ directory: join(home, 'skills'), extraDirs: [home] })
    expect(config.secrets.file).toBe(join(home, 'key'))
  })

  it.each(['postgres://db.example.com/crib', 'sqlite:mine.db'])(
    'is none in the address %s',
    async (store) => {
      expect((await paths({ store })).config.store).toBe(store)
    },
  )

  it('is none where a variable holds the key of the secrets', async () => {
    const { config } = await paths({ secrets: { file: 'env://MY_KEY' } })
    expect(config.secrets.file).toBe('env://MY_KEY')
  })
})

describe('layers', () => {
  it('come in their order, and each value says where it is from', async () => {
    const root = tempFolder({
      'home/.config/toolcrib/config.yaml': 'trust: warn\nlimits: { memoryMb: 1, processes: 1 }\n',
      'crib/toolcrib.yaml': 'limits: { memoryMb: 2, timeoutMs: 2, processes: 2 }\n',
    })
    const env = { HOME: join(root, 'home'), TOOLCRIB_LIMITS_TIMEOUTMS: '3', TOOLCRIB_LIMITS_PROCESSES: '3' }
    const spaces = spacesOf(join(root, 'crib'), env)
    const trust = new FolderTrust(spaces, {}, true)
    const overrides: GivenConfig = { limits: { processes: 4 } }
    const { config, origins } = await loadConfig({ spaces, env, overrides, trust })
    expect(config.limits).toMatchObject({ memoryMb: 2, timeoutMs: 3, processes: 4, outputBytes: 16_777_216 })
    expect(origins).toMatchObject({
      trust: join(root, 'home/.config/toolcrib/config.yaml'),
      'limits.memoryMb': join(root, 'crib/toolcrib.yaml'),
      'limits.timeoutMs': 'environment TOOLCRIB_LIMITS_TIMEOUTMS',
      'limits.processes': 'flag',
    })
    expect(origins['limits.outputBytes']).toBeUndefined()
  })

  it('of a folder nobody accepted are left out where they ask for more, each with its line', async () => {
    verifies('G2')
    const root = tempFolder({
      'toolcrib.yaml': 'trust: require\nplugins: [./p.mjs]\nenv: { expose: [TOKEN] }\n',
    })
    const spaces = spacesOf(root, { HOME: root })
    const trust = new FolderTrust(spaces, { TOOLCRIB_TRUST_FOLDER: '0' })
    const { config, problems, asks, fault } = await loadConfig({ spaces, env: { HOME: root }, trust })
    expect(config).toMatchObject({ trust: 'require', plugins: [], env: { expose: [] } })
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ['folder-not-accepted', 3],
      ['folder-not-accepted', 2],
    ])
    expect(asks.map(({ key }) => key)).toEqual(['env.expose', 'plugins'])
    expect(fault).toBeUndefined()
  })

  it('ask anew for a plugin whose code, or what it imports, is another one', async () => {
    verifies('G2')
    const root = tempFolder({ 'toolcrib.yaml': 'plugins: [./p.mjs]\n', 'p.mjs': '1', 'q.mjs': '1' })
    const spaces = spacesOf(root, { HOME: root })
    const trust = new FolderTrust(spaces, {}, true)
    const importsOf = () => [join(root, 'q.mjs')]
    const digest = async () =>
      (await loadConfig({ spaces, env: { HOME: root }, trust, importsOf })).asks[0]!.digest
    const digests = [await digest()]
    for (const file of ['p.mjs', 'q.mjs']) {
      writeFileSync(join(root, file), '2')
      digests.push(await digest())
    }
    expect(new Set(digests).size).toBe(3)
    expect(await digest()).toBe(digests[2])
  })
})

it('believes no cache that was written in another folder', async () => {
  verifies('G2')
  const root = tempFolder({ 'toolcrib.yaml': 'trust: require\n' })
  const load = () => {
    const spaces = spacesOf(root, { HOME: root })
    return loadConfig({ spaces, env: { HOME: root }, trust: new FolderTrust(spaces, {}, true) })
  }
  expect((await load()).config.trust).toBe('require')
  const file = join(root, '.toolcrib/cache/config.json')
  const cache = readFileSync(file, 'utf8')
  writeFileSync(file, cache.replace('"require"', '"off"'))
  // It is what an earlier start of this crib found, so it is not read again.
  expect((await load()).config.trust).toBe('off')
  cpSync(join(root, '.toolcrib'), join(root, 'copy'), { recursive: true })
  rmSync(join(root, '.toolcrib'), { recursive: true })
  renameSync(join(root, 'copy'), join(root, '.toolcrib'))
  expect((await load()).config.trust).toBe('require')
})
