import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proves } from '../../test/helpers/proves.ts'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { findCrib, lookUpwards } from './find-root.ts'

describe('the crib of a folder', () => {
  it.each([
    ['toolcrib.yaml', 'roots: [.]'],
    ['.ai/tools/a.py', ''],
  ])('is the nearest one upwards with %s', (file, text) => {
    verifies('G1')
    const root = tempFolder({ [file]: text, 'a/b/c.txt': '' })
    expect(findCrib(join(root, 'a/b'), { HOME: '/nowhere' })).toBe(root)
  })

  it.each(['skills/x/SKILL.md', 'crumbs/a.json', '.mcp.json'])(
    'is the current one with %s, but no parent',
    (file) => {
      verifies('G1')
      const root = tempFolder({ 'toolcrib.yaml': '', [`a/${file}`]: '{}', 'a/b/c.txt': '' })
      expect(findCrib(join(root, 'a'), {})).toBe(join(root, 'a'))
      expect(findCrib(join(root, 'a/b'), { HOME: '/nowhere' })).toBe(root)
    },
  )

  it('is the current one when nothing is found', () => {
    verifies('G1')
    const root = tempFolder({ 'a/b/c.txt': '' })
    expect(findCrib(join(root, 'a/b'), { HOME: root })).toBe(join(root, 'a/b'))
  })

  it('is not sought in the home folder or above it', () => {
    proves('crib-borders')
    verifies('G1')
    const root = tempFolder({ 'toolcrib.yaml': '', 'home/.ai/tools/a.py': '', 'home/work/c.txt': '' })
    const home = join(root, 'home')
    expect(findCrib(join(home, 'work'), { HOME: home })).toBe(join(home, 'work'))
    expect(findCrib(home, { HOME: home })).toBe(home)
  })

  it('is sought up to a repository, which still counts, and not above it', () => {
    verifies('G1')
    const root = tempFolder({ 'toolcrib.yaml': '', 'repo/.git/HEAD': '', 'repo/src/a.txt': '' })
    const env = { HOME: '/nowhere' }
    expect(findCrib(join(root, 'repo/src'), env)).toBe(join(root, 'repo/src'))
    const own = tempFolder({ 'repo/.git/HEAD': '', 'repo/.ai/tools/a.py': '', 'repo/src/a.txt': '' })
    expect(findCrib(join(own, 'repo/src'), env)).toBe(join(own, 'repo'))
  })

  it('is not sought past a mount', () => {
    verifies('G1')
    // /dev/shm and /proc lie on file systems of their own on every Linux.
    expect(findCrib('/proc/self', { HOME: '/nowhere' })).toBe('/proc/self')
  })

  it.skipIf(process.getuid?.() !== 0)("is not sought in another user's folder", () => {
    verifies('G1')
    const root = tempFolder({ 'theirs/toolcrib.yaml': '', 'toolcrib.yaml': '' })
    mkdirSync(join(root, 'theirs/mine'))
    chownSync(join(root, 'theirs'), 4242, 4242)
    const mine = join(root, 'theirs/mine')
    expect(findCrib(mine, { HOME: '/nowhere' })).toBe(mine)
    expect(lookUpwards(mine, { HOME: '/nowhere' }).passed).toEqual({
      folder: join(root, 'theirs'),
      because: 'belongs to another user',
    })
  })
})
