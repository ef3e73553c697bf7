// What a folder's files ask for counts only after the user accepted it (G2), and looking starts nothing of it (G3).
import { existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder, writeFiles } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { pythonTool } from '../../test/security/crib-of.ts'
import type { Profile } from '../sandbox/profile.ts'
import { type CribOptions, openCrib } from './open-crib.ts'

const lax =
  'sandbox: off\ntrust: off\ngrants:\n  tools:\n    "web/**": [net.http]\nenv: { expose: [SECRET] }\n'

async function open(root: string, home: string, options: CribOptions = {}) {
  const crib = await openCrib({
    root,
    env: { HOME: home, PATH: process.env['PATH'] },
    trustFolder: false,
    ...options,
  })
  onTestFinished(() => crib.close())
  return crib
}

describe('a folder that was not accepted', () => {
  it('has the default rights, with a problem for each part that names it, its line and the command', async () => {
    verifies('G2')
    const crib = await open(tempFolder({ 'toolcrib.yaml': lax }), tempFolder())
    expect(crib.config).toMatchObject({
      sandbox: { mode: 'preferred' },
      trust: 'warn',
      grants: { tools: {} },
      env: { expose: [] },
    })
    const problems = crib.problems.filter(({ code }) => code === 'folder-not-accepted')
    expect(problems.map(({ line }) => line).sort()).toEqual([1, 2, 5, 6])
    for (const { hint } of problems) expect(hint).toContain('toolcrib trust')
  })

  it('gets what was accepted and no more: a change asks again', async () => {
    verifies('G2')
    const root = tempFolder({ 'toolcrib.yaml': lax })
    const home = tempFolder()
    const crib = await open(root, home)
    crib.folder.decide(crib.asks, true)
    await crib.reload()
    expect(crib.config).toMatchObject({ sandbox: { mode: 'off' }, env: { expose: ['SECRET'] } })
    writeFiles(root, { 'toolcrib.yaml': lax.replace('SECRET', 'SECRET, OTHER') })
    const again = await open(root, home)
    expect(again.config).toMatchObject({ sandbox: { mode: 'off' }, env: { expose: [] } })
    expect(again.asks.map((ask) => again.folder.standingOf(ask))).toContain('changed')
    expect(again.folder.forget()).toBe(true)
    expect((await open(root, home)).config.sandbox.mode).toBe('preferred')
    expect(statSync(join(home, '.config/toolcrib/trusted-folders.json')).mode & 0o777).toBe(0o600)
  })

  it('has a plugin loaded as it was accepted: what it imports is part of it', async () => {
    verifies('G2', 'G6')
    const root = tempFolder({
      'toolcrib.yaml': 'plugins: [./plug/plugin.mjs]\n',
      'plug/plugin.mjs': "import { name } from './name.mjs'\nexport default { name }\n",
      'plug/name.mjs': "export const name = 'first'\n",
    })
    const home = tempFolder()
    const crib = await open(root, home)
    crib.folder.decide(crib.asks, true)
    await crib.reload()
    expect(crib.config.plugins).toHaveLength(1)
    writeFiles(root, { 'plug/name.mjs': "export const name = 'second'\n" })
    const again = await open(root, home)
    expect(again.config.plugins).toEqual([])
    expect(again.asks.map((ask) => again.folder.standingOf(ask))).toEqual(['changed'])
  })

  it('shows nothing that a file of it leads to elsewhere, until that was accepted as it leads', async () => {
    verifies('G2', 'G9')
    const outside = tempFolder({
      key: 'CANARY\n',
      other: 'CANARY\n',
      'SKILL.md': '---\nname: linked\ndescription: CANARY\n---\nCANARY\n',
    })
    const root = tempFolder({ 'skills/own/tools.json': '{"tools": []}', 'skills/linked/notes.txt': '' })
    symlinkSync(join(outside, 'key'), join(root, 'skills/own/SKILL.md'))
    symlinkSync(join(outside, 'SKILL.md'), join(root, 'skills/linked/SKILL.md'))
    const home = tempFolder()
    const crib = await open(root, home)
    expect(JSON.stringify(crib.list({ all: true }))).not.toContain('CANARY')
    expect(crib.list({ all: true }).map(({ id }) => id)).not.toContain('linked')
    const links = () => crib.problems.filter(({ code }) => code === 'folder-not-accepted')
    expect(links().map(({ message }) => message)).toEqual([
      expect.stringContaining(`read ${join(outside, 'SKILL.md')}`),
      expect.stringContaining(`read ${join(outside, 'key')}`),
    ])
    crib.folder.decide(crib.asks, true)
    await crib.reload()
    expect(links()).toEqual([])
    expect(JSON.stringify(crib.list({ all: true }))).toContain('CANARY')
    rmSync(join(root, 'skills/own/SKILL.md'))
    symlinkSync(join(outside, 'other'), join(root, 'skills/own/SKILL.md'))
    const again = await open(root, home)
    expect(again.asks.map((ask) => again.folder.standingOf(ask)).sort()).toEqual(['accepted', 'changed'])
  })

  it('enters no folder that a link of it leads to elsewhere, until that was accepted as it leads', async () => {
    verifies('G2', 'G9')
    const skill = '---\nname: kept\ndescription: CANARY\n---\nCANARY\n'
    const outside = tempFolder({ 'one/kept/SKILL.md': skill, 'two/kept/SKILL.md': skill })
    const root = tempFolder({ 'skills/own/SKILL.md': '---\nname: own\ndescription: d\n---\nText.\n' })
    symlinkSync(join(outside, 'one'), join(root, 'skills/linked'))
    const home = tempFolder()
    const crib = await open(root, home)
    const ids = () => crib.list({ all: true }).map(({ id }) => id)
    const said = () => crib.problems.filter(({ code }) => code === 'folder-not-accepted')
    expect(ids()).not.toContain('kept')
    expect(said().map(({ message }) => message)).toEqual([
      expect.stringContaining(`read ${join(outside, 'one')} as a folder of its own`),
    ])
    crib.folder.decide(crib.asks, true)
    await crib.reload()
    expect(said()).toEqual([])
    expect(ids()).toContain('kept')
    rmSync(join(root, 'skills/linked'))
    symlinkSync(join(outside, 'two'), join(root, 'skills/linked'))
    const again = await open(root, home)
    expect(again.asks.map((ask) => again.folder.standingOf(ask))).toEqual(['changed'])
    expect(again.list({ all: true }).map(({ id }) => id)).not.toContain('kept')
  })

  it.each(['{"half', '[]', '{"/x": {"accepted": 1}}', '{"/x": 7}'])(
    'has the default rights where the list of accepted folders is damaged (%s), which is said and kept',
    async (text) => {
      verifies('G2')
      const root = tempFolder({ 'toolcrib.yaml': lax })
      const home = tempFolder({ '.config/toolcrib/trusted-folders.json': text })
      const crib = await open(root, home)
      expect(crib.config.sandbox.mode).toBe('preferred')
      expect(crib.problems).toContainEqual(
        expect.objectContaining({
          code: 'trust-file-damaged',
          file: join(home, '.config/toolcrib/trusted-folders.json'),
          hint: expect.stringContaining('toolcrib trust'),
        }),
      )
      expect(() => crib.folder.decide(crib.asks, true)).toThrow(/is damaged/)
      expect(readFileSync(join(home, '.config/toolcrib/trusted-folders.json'), 'utf8')).toBe(text)
    },
  )

  it('is not accepted where that cannot be written down, which is said', async () => {
    verifies('G2')
    const home = tempFolder({ '.config': 'a file where a folder belongs' })
    const crib = await open(tempFolder({ 'toolcrib.yaml': lax }), home)
    expect(() => crib.folder.decide(crib.asks, true)).toThrow(/trusted-folders\.json cannot be/)
    expect(crib.config.sandbox.mode).toBe('preferred')
  })

  it('is accepted for one process by the option or the variable', async () => {
    verifies('G2')
    const root = tempFolder({ 'toolcrib.yaml': lax })
    const home = tempFolder()
    expect((await open(root, home, { trustFolder: true })).config.trust).toBe('off')
    const env = { HOME: home, TOOLCRIB_TRUST_FOLDER: '1' }
    const crib = await openCrib({ root, env })
    onTestFinished(() => crib.close())
    expect(crib.config.trust).toBe('off')
    expect((await open(root, home)).config.trust).toBe('warn')
  })

  it('does not hold back what the user or the caller set', async () => {
    verifies('G2')
    const home = tempFolder({ '.config/toolcrib/config.yaml': 'env: { expose: [MINE] }\n' })
    const crib = await open(tempFolder(), home, { config: { trust: 'off' } })
    expect(crib.config).toMatchObject({ trust: 'off', env: { expose: ['MINE'] } })
    expect(crib.asks).toEqual([])
  })

  it('has none of its servers started to be listed, searched or called', async () => {
    verifies('G2', 'G3')
    const root = tempFolder()
    const mark = join(root, 'started')
    writeFiles(root, {
      '.mcp.json': JSON.stringify({ mcpServers: { evil: { command: 'touch', args: [mark] } } }),
      'toolcrib.yaml': `mcp:\n  servers:\n    worse: { command: touch, args: ["${mark}"] }\n`,
    })
    const crib = await open(root, tempFolder())
    await crib.discover({ refresh: true })
    expect(await crib.call('evil-x')).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
    await crib.why('worse-x')
    await crib.check()
    expect(existsSync(mark)).toBe(false)
    expect(crib.list({ all: true }).find(({ id }) => id === 'mcp/evil')).toMatchObject({ state: 'disabled' })
    expect(crib.asks.map(({ key }) => key).sort()).toEqual(['mcp.servers.worse', 'server evil'])
  })

  it('cannot make the code of its skills the user’s own by naming their folder', async () => {
    verifies('G2', 'G14')
    const root = tempFolder({
      'toolcrib.yaml': 'skills: { extraDirs: [./.more] }\n',
      '.more/who.skill.js':
        "export const frontmatter = { name: 'who', description: 'W', metadata: { params: { type: 'object' } } }\nexport default () => process.pid\n",
    })
    const crib = await open(root, tempFolder())
    const outcome = await crib.call('who', {})
    expect(outcome).toMatchObject({ ok: true })
    expect(outcome.ok && outcome.value).not.toBe(process.pid)
    expect(crib.voucherOf(crib.find('who'))).toBeNull()
  })

  it('does not open protected places with grants of its own, until they are accepted', async () => {
    verifies('G2', 'G6')
    const root = tempFolder({
      'toolcrib.yaml': 'grants: { tools: { "*": ["fs.write:.vscode/**", "fs.write:out/**"] } }\n',
      '.ai/tools/any.py': pythonTool('return 1'),
    })
    const home = tempFolder()
    const writesOf = async (crib: Awaited<ReturnType<typeof open>>) => {
      const rehearsed = await crib.dryRun('any', {})
      const { write } = (rehearsed.ok && rehearsed.profile) as unknown as Profile
      return write.map((path) => relative(root, path))
    }
    const crib = await open(root, home)
    expect(await writesOf(crib)).toEqual(['out'])
    expect(crib.problems).toContainEqual(
      expect.objectContaining({
        code: 'folder-not-accepted',
        message: expect.stringContaining('fs.write:.vscode/**'),
      }),
    )
    crib.folder.decide(crib.asks, true)
    expect(await writesOf(await open(root, home))).toContain('.vscode')
  })
})
