import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Config } from './config.ts'
import { mergeConfig } from './merge-config.ts'
import { cribSkillFolders, skillPathsOf, userSkillFolders } from './skill-paths.ts'
import type { Spaces } from './spaces.ts'

const spaces: Spaces = {
  project: '/crib',
  userAi: '/home/ada/.ai',
  system: '/shipped',
  state: '/crib/.toolcrib',
  home: '/home/ada',
  userConfig: '/home/ada/.config/toolcrib',
  userState: '/home/ada/.local/state/toolcrib',
}

const configOf = (values: Record<string, unknown>): Config =>
  mergeConfig([{ from: 'project', values }]).config
const foldersOf = (values: Record<string, unknown> = {}) =>
  skillPathsOf(configOf(values), spaces).entries.map(({ dir }) => dir)

it('looks in the folders of the crib first, then in those of the user, last in what ships', () => {
  expect(foldersOf()).toEqual([
    ...cribSkillFolders.map((dir) => join('/crib', dir)),
    '/crib',
    '/home/ada/.ai/skills',
    ...userSkillFolders.map((dir) => join('/home/ada', dir)),
    '/shipped/skills',
  ])
})

it('looks in the same folders of every other root', () => {
  const folders = foldersOf({ roots: ['.', 'other'] })
  for (const dir of cribSkillFolders) expect(folders).toContain(join('/crib/other', dir))
  expect(folders.indexOf('/crib/skills')).toBeLessThan(folders.indexOf('/crib/other/skills'))
})

it('puts a configured folder and further ones where they belong', () => {
  const folders = foldersOf({ skills: { directory: 'mine', extraDirs: ['../shared'] } })
  const at = (dir: string) => folders.indexOf(dir)
  expect(at('/crib/mine')).toBeGreaterThan(at('/crib/skills'))
  expect(at('/crib/mine')).toBeLessThan(at('/home/ada/.ai/skills'))
  expect(at('/shared')).toBeGreaterThan(at('/home/ada/.claude/skills'))
  expect(at('/shared')).toBeLessThan(at('/shipped/skills'))
})

it('counts the positions without a gap', () => {
  const { entries } = skillPathsOf(configOf({ roots: ['.', 'a'], skills: { directory: 'b' } }), spaces)
  expect(entries.map(({ order }) => order)).toEqual(entries.map((_, index) => index))
})

describe('a list of one’s own', () => {
  const paths = (...list: unknown[]) => skillPathsOf(configOf({ skills: { paths: list } }), spaces)

  it('stands in place of the folders of the crib, not of the user’s', () => {
    const dirs = paths('./own').entries.map(({ dir }) => dir)
    expect(dirs[0]).toBe('/crib/own')
    expect(dirs).not.toContain('/crib/skills')
    expect(dirs).toContain('/home/ada/.ai/skills')
  })

  it('tells the tree of another app from one of the crib’s own', () => {
    const [own, foreign] = paths({ internal: 'a', ignore: 'drafts/**' }, { external: '/opt/app' }).entries
    expect(own).toMatchObject({ dir: '/crib/a', isExternal: false, ignore: ['drafts/**'] })
    expect(foreign).toMatchObject({ dir: '/opt/app', isExternal: true, ignore: [] })
  })

  it('takes an entry without a folder for globs that hold everywhere', () => {
    expect(paths({ ignore: ['*.bak', 1, 'old/**'] }).ignore).toEqual(['*.bak', 'old/**'])
  })

  it('says as written what is no entry', () => {
    expect(paths({}, 7, { ignore: [] }, 'fine').faults).toEqual(['{}', '7', '{"ignore":[]}'])
  })

  it('reads ~ as the home folder and nothing else with a tilde', () => {
    const [whole, inside, named] = paths('~', '~/skills', '~ada').entries
    expect([whole!.dir, inside!.dir]).toEqual(['/home/ada', '/home/ada/skills'])
    expect(named!.dir).toBe('/crib/~ada')
  })
})
