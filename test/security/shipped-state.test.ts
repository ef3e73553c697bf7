// A `.toolcrib/` that was not made here (a clone, an archive, a copy) counts for nothing until the user accepts it (G2):
// it holds what the host believes without a further look.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { TokenStore } from '../../src/surfaces/http/token-store.ts'
import { ownToken } from '../../src/surfaces/http/tokens.ts'
import { sha256 } from '../../src/tool/json.ts'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const skill =
  "export const frontmatter = { name: 'hello', description: 'Says hello', metadata: { params: { type: 'object' } } }\nexport default () => 'hello'\n"

/** Somebody who never saw the folder. */
function stranger() {
  return { HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '0' }
}

/** A commit that a process is said to have left half done, in a folder of somebody's choice. */
function journal(project: string): { readonly [path: string]: string } {
  const after = { type: 'file', mode: 0o644, size: 5, sha256: '00' }
  const content = { run: 'r', project, transitions: [{ path: '.bashrc', after }], set: { changes: [] } }
  return {
    '.toolcrib/journals/dead_r/journal': JSON.stringify(content),
    '.toolcrib/journals/dead_r/n0': 'evil\n',
  }
}

it('puts nothing in place that a shipped journal names, in no folder', async () => {
  verifies('G2')
  proves('shipped-state')
  const victim = tempFolder()
  const cwd = tempFolder({ 'skills/hello.skill.js': skill, ...journal(victim) })
  const env = stranger()
  const { code, stdout } = await toolcrib(['list'], { cwd, env })
  expect([code, stdout]).toEqual([0, expect.stringContaining('hello')])
  expect(existsSync(join(victim, '.bashrc'))).toBe(false)
  expect(existsSync(join(cwd, '.bashrc'))).toBe(false)
  // Accepted, it still reaches no other folder than the crib.
  await toolcrib(['trust'], { cwd, env })
  await toolcrib(['list'], { cwd, env })
  expect(existsSync(join(victim, '.bashrc'))).toBe(false)
})

it('believes no token of it, and says so', async () => {
  verifies('G2')
  proves('shipped-state')
  const tokens = [{ name: 'evil', sha256: sha256('tc_evil'), admin: true, createdAt: '2026-01-01T00:00:00Z' }]
  const root = tempFolder({
    'skills/hello.skill.js': skill,
    '.toolcrib/token': 'tc_known_to_others\n',
    '.toolcrib/tokens.json': JSON.stringify({ tokens }),
  })
  const env = { ...process.env, XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: undefined, ...stranger() }
  await using crib = await openCrib({ root, env, trustFolder: false })
  expect(ownToken(crib.spaces)).not.toBe('tc_known_to_others')
  expect(new TokenStore(crib.spaces).tokens).toEqual([])
  expect(crib.problems).toContainEqual(
    expect.objectContaining({ code: 'folder-not-accepted', file: join(root, '.toolcrib') }),
  )
  expect(await crib.call('hello')).toMatchObject({ ok: true, value: 'hello' })
  expect(existsSync(join(root, '.toolcrib/crib.db'))).toBe(false)
})

it('uses it once the user accepted it', async () => {
  verifies('G2')
  const cwd = tempFolder({ 'skills/hello.skill.js': skill })
  const env = stranger()
  await toolcrib(['tokens', 'new', 'ci'], { cwd, env })
  const copy = join(tempFolder(), 'copy')
  cpSync(cwd, copy, { recursive: true })
  const names = async () => {
    const { json } = await toolcrib(['tokens', 'list', '--json'], { cwd: copy, env })
    return json.tokens.map(({ name }: { name: string }) => name)
  }
  expect(await names()).not.toContain('ci')
  const asked = await toolcrib(['trust', '--json'], { cwd: copy, env })
  expect(asked.json.asks).toContainEqual(
    expect.objectContaining({ what: expect.stringContaining('.toolcrib') }),
  )
  expect(await names()).toContain('ci')
  // A folder that moves is the same folder.
  const moved = `${copy}-moved`
  renameSync(copy, moved)
  const { json } = await toolcrib(['tokens', 'list', '--json'], { cwd: moved, env })
  expect(json.tokens).toContainEqual(expect.objectContaining({ name: 'ci' }))
})

it('writes nothing through a link in its place, and runs nothing', async () => {
  verifies('G2', 'G4')
  const victim = tempFolder({ token: 'a secret of mine\n' })
  const cwd = tempFolder({ 'skills/hello.skill.js': skill })
  symlinkSync(victim, join(cwd, '.toolcrib'))
  const env = stranger()
  const listed = await toolcrib(['list', '--json'], { cwd, env })
  expect(listed.json.problems).toContainEqual(expect.objectContaining({ code: 'state-foreign' }))
  const run = await toolcrib(['run', 'hello', '--json'], { cwd, env })
  expect(run.json.error).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('.toolcrib'),
  })
  await toolcrib(['lock'], { cwd, env })
  await toolcrib(['schema', '--write'], { cwd, env })
  expect(readFileSync(join(victim, 'token'), 'utf8')).toBe('a secret of mine\n')
  expect(existsSync(join(victim, 'cache')) || existsSync(join(victim, 'approved'))).toBe(false)
  rmSync(join(cwd, '.toolcrib'))
  expect((await toolcrib(['run', 'hello', '--json'], { cwd, env })).json).toMatchObject({ ok: true })
})

it('takes an empty one for its own', async () => {
  verifies('G4')
  const cwd = tempFolder({ 'skills/hello.skill.js': skill })
  mkdirSync(join(cwd, '.toolcrib'))
  const { json } = await toolcrib(['run', 'hello', '--json'], { cwd, env: stranger() })
  expect(json).toMatchObject({ ok: true })
  expect(readFileSync(join(cwd, '.toolcrib/.gitignore'), 'utf8')).toBe('*\n')
  expect(existsSync(join(cwd, '.toolcrib/crib.db'))).toBe(true)
})

it('is named by every command that would read it, with what to do where it is the own one', async () => {
  verifies('G2')
  const made = tempFolder({ 'skills/hello.skill.js': skill })
  const env = stranger()
  await toolcrib(['run', 'hello'], { cwd: made, env })
  const cwd = join(tempFolder(), 'copy')
  cpSync(made, cwd, { recursive: true })
  const before = await toolcrib(['runs', '--json'], { cwd, env })
  expect(before.json).toMatchObject({ runs: [] })
  expect(before.stderr).toContain('accept them with `toolcrib trust`')
  expect((await toolcrib(['trust'], { cwd, env })).stderr).not.toContain('are not read')
  const after = await toolcrib(['runs', '--json'], { cwd, env })
  expect(after.json).toMatchObject({ runs: [{ tool: 'hello' }] })
  expect(after.stderr).toBe('')
})
