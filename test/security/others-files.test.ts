// Bad input under the ground of a crib: links that lead to themselves, and files that belong to somebody else. Each has
// one message with what helps, and nothing of it counts.
import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FolderTrust } from '../../src/config/folder-trust.ts'
import { spacesOf } from '../../src/config/spaces.ts'
import { openCrib } from '../../src/crib/open-crib.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'
import { pythonTool } from './crib-of.ts'

const tool = { '.ai/tools/good.py': pythonTool('return 1') }

async function open(root: string) {
  const crib = await openCrib({ root, env: { HOME: tempFolder(), PATH: process.env['PATH'] } })
  onTestFinished(() => crib.close())
  return crib
}

describe('a link that leads to itself', () => {
  it.each(['skills', 'crumbs', '.mcp.json', 'lib', '.toolcribignore', '.venv', 'node_modules'])(
    'in place of %s hides no tool',
    async (name) => {
      verifies('G1')
      const root = tempFolder(tool)
      symlinkSync(name, join(root, name))
      const crib = await open(root)
      expect(crib.find('good').state).toBe('available')
    },
  )

  it('in place of .ai leaves the rest', async () => {
    const root = tempFolder({ 'skills/note/SKILL.md': '---\nname: note\ndescription: A note\n---\nText.\n' })
    symlinkSync('.ai', join(root, '.ai'))
    const crib = await open(root)
    expect(crib.find('note').state).toBe('available')
  })

  it.each(['toolcrib.yaml', 'toolcrib.lock'])('in place of %s is a fault: no tool runs', async (name) => {
    const root = tempFolder(tool)
    symlinkSync(name, join(root, name))
    const crib = await open(root)
    const outcome = await crib.call('good').catch((error: unknown) => ({ ok: false, error }))
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: expect.not.stringMatching('INTERNAL'), message: expect.stringContaining(name) },
    })
  })
})

it.skipIf(process.getuid?.() !== 0)('a trust file of another user counts for nothing', () => {
  verifies('G2')
  const [root, home] = [tempFolder(), tempFolder()]
  const spaces = spacesOf(root, { HOME: home })
  mkdirSync(spaces.userConfig, { recursive: true })
  const file = join(spaces.userConfig, 'trusted-folders.json')
  const accepted = { at: '2026-01-01T00:00:00Z', accepted: { plugins: 'd' }, declined: {} }
  writeFileSync(file, JSON.stringify({ [root]: accepted }))
  const trust = new FolderTrust(spaces, {}, false)
  const who = vi.spyOn(process, 'getuid').mockReturnValue(4_242)
  onTestFinished(() => who.mockRestore())
  chownSync(file, 4_242, 4_242)
  expect(trust.accepts('plugins', 'd')).toBe(true)
  chownSync(file, 4_243, 4_243)
  expect(trust.accepts('plugins', 'd')).toBe(false)
  expect(trust.problems).toMatchObject([{ message: expect.stringContaining('belongs to another user') }])
  expect(() => trust.decide([{ key: 'plugins', digest: 'd' }], true)).toThrow(/belongs to another user/)
})
