import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { folderIdentity } from './folder-identity.ts'
import { spacesOf, systemSpace, userState } from './spaces.ts'
import { makeStateFolder } from './state-folder.ts'
import { build, version } from './version.ts'

const home = '/home/ada'
const untrusted = { HOME: home, TOOLCRIB_TRUST_FOLDER: '0' }

it('are the folders of one user and one crib', () => {
  const root = tempFolder()
  expect(spacesOf(root, untrusted)).toEqual({
    project: root,
    home: '/home/ada',
    userAi: '/home/ada/.ai',
    system: systemSpace(),
    state: join(root, '.toolcrib'),
    userConfig: '/home/ada/.config/toolcrib',
    userState: '/home/ada/.local/state/toolcrib',
  })
})

it.each([
  ['USER_SPACE', { userAi: '/elsewhere/.ai' }],
  ['XDG_CONFIG_HOME', { userConfig: '/elsewhere/toolcrib' }],
  ['XDG_STATE_HOME', { userState: '/elsewhere/toolcrib' }],
])('%s moves one of them', (name, moved) => {
  const root = tempFolder()
  const env = { ...untrusted, [name]: '/elsewhere' }
  expect(spacesOf(root, env)).toEqual({ ...spacesOf(root, untrusted), ...moved })
})

it('are not moved by a variable that is empty', () => {
  const root = tempFolder()
  const env = { ...untrusted, USER_SPACE: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
  expect(spacesOf(root, env)).toEqual(spacesOf(root, untrusted))
  expect(userState({ ...env })).toBe('/home/ada/.local/state/toolcrib')
})

describe('the state of a crib whose .toolcrib/ came along with it', () => {
  const foreign = () => tempFolder({ '.toolcrib/crib.db': 'somebody else’s' })

  it('is kept in a place of the user’s, another one for each crib', () => {
    verifies('G2')
    const [one, other] = [foreign(), foreign()]
    const states = [one, other].map((root) => spacesOf(root, untrusted).state)
    for (const state of states)
      expect(state).toMatch(/^\/home\/ada\/\.local\/state\/toolcrib\/cribs\/\w{16}$/)
    expect(states[0]).not.toBe(states[1])
  })

  it('is the same place by whatever path the crib is opened', () => {
    const root = foreign()
    const link = join(tempFolder(), 'link')
    symlinkSync(root, link)
    expect(spacesOf(link, untrusted).state).toBe(spacesOf(root, untrusted).state)
  })

  it('is its own folder for whoever takes the folder at its word', () => {
    const root = foreign()
    expect(spacesOf(root, { ...untrusted, TOOLCRIB_TRUST_FOLDER: '1' }).state).toBe(join(root, '.toolcrib'))
  })
})

it('has its own folder for state once it was made here', () => {
  const root = tempFolder()
  makeStateFolder(join(root, '.toolcrib'))
  expect(spacesOf(root, untrusted).state).toBe(join(root, '.toolcrib'))
})

it('knows what ships, and which version and build it is of', () => {
  expect(existsSync(join(systemSpace(), 'tools'))).toBe(true)
  expect(version()).toMatch(/^\d+\.\d+\.\d+/)
  expect(build()).toMatch(new RegExp(`^${version().replaceAll('.', '\\.')} \\d`))
})

it('tells the folder of a cache from a copy of it', () => {
  const [one, copy] = [tempFolder({ 'cache.json': '{}' }), tempFolder({ 'cache.json': '{}' })]
  const identity = folderIdentity(join(one, 'cache.json'))
  expect(identity).not.toBe(folderIdentity(join(copy, 'cache.json')))
  // It need not be there yet.
  expect(folderIdentity(join(one, 'other.json'))).toBe(identity)
  expect(folderIdentity(join(one, 'nowhere', 'cache.json'))).toBe('')
})
