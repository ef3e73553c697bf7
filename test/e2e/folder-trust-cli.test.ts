// `toolcrib trust`, `untrust` and --trust-folder, as a user runs them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const unaccepted = { TOOLCRIB_TRUST_FOLDER: '' }

it('accepts a folder, lists it and takes it back', async () => {
  verifies('G2')
  proves('folder-trust')
  const cwd = tempFolder({ 'toolcrib.yaml': 'env: { expose: [SECRET] }\n' })
  const env = { ...unaccepted, HOME: tempFolder() }
  const exposed = async (...args: string[]) => {
    const { json } = await toolcrib(['config', 'explain', '--json', ...args], { cwd, env })
    return json.settings.find(({ key }: { key: string }) => key === 'env.expose').value
  }
  expect(await exposed()).toEqual([])
  expect(await exposed('--trust-folder')).toEqual(['SECRET'])
  const asks = [expect.objectContaining({ file: join(cwd, 'toolcrib.yaml'), line: 1 })]
  const trusted = await toolcrib(['trust', '--json'], { cwd, env })
  expect(trusted.json).toMatchObject({ folder: cwd, accepted: true, asks })
  expect(await exposed()).toEqual(['SECRET'])
  const listed = await toolcrib(['trust', '--list', '--json'], { cwd, env })
  expect(listed.json.folders).toMatchObject([{ folder: cwd, keys: ['env.expose'] }])
  const untrusted = await toolcrib(['untrust', '--json'], { cwd, env })
  expect(untrusted.json).toMatchObject({ folder: cwd, accepted: false })
  expect(await exposed()).toEqual([])
})

it('looking starts no server of a folder that was not accepted', async () => {
  verifies('G3')
  const cwd = tempFolder({ 'skills/a/SKILL.md': '---\nname: a\ndescription: A\n---\nHi\n' })
  const mark = join(cwd, 'started')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(
    join(cwd, '.mcp.json'),
    JSON.stringify({ mcpServers: { evil: { command: 'touch', args: [mark] } } }),
  )
  const env = { ...unaccepted, HOME: tempFolder() }
  for (const args of [
    ['list'],
    ['show', 'a'],
    ['why', 'evil-x'],
    ['diff'],
    ['lock'],
    ['check'],
    ['doctor'],
  ]) {
    await toolcrib([...args, '--json'], { cwd, env })
    expect([args[0], existsSync(mark)]).toEqual([args[0], false])
  }
  const { json } = await toolcrib(['list', '--json'], { cwd, env })
  expect(json.problems).toContainEqual(expect.objectContaining({ code: 'folder-not-accepted', line: 1 }))
})

it.each(['trust', 'untrust'])(
  '%s of a folder that is not there is wrong usage and makes none',
  async (command) => {
    const cwd = tempFolder()
    const ran = await toolcrib([command, 'missing'], { cwd, env: { ...unaccepted, HOME: tempFolder() } })
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('missing is no folder') })
    expect(existsSync(join(cwd, 'missing'))).toBe(false)
  },
)
