import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import type { Ask } from './folder-asks.ts'
import { FolderTrust, notAccepted } from './folder-trust.ts'
import { spacesOf } from './spaces.ts'

const ask = (key: string, digest = 'd1'): Ask => ({ key, digest, what: 'more', file: '/f', line: 3 })

/** A user with one project, and their word on it read anew each time. */
function user() {
  const home = tempFolder({ 'project/toolcrib.yaml': '' })
  const env = { HOME: home }
  const trust = (project = join(home, 'project'), trustFolder = false) =>
    new FolderTrust(spacesOf(project, env), env, trustFolder)
  return { home, trust, file: join(home, '.config/toolcrib/trusted-folders.json') }
}

describe('a folder nobody decided on', () => {
  it('is not accepted, and what it asks for is new', () => {
    const { trust, file } = user()
    expect(trust().isAccepted).toBe(false)
    expect(trust().standingOf(ask('trust'))).toBe('new')
    expect(trust().unaccepted([ask('trust')])).toEqual([ask('trust')])
    expect([trust().folders, existsSync(file)]).toEqual([[], false])
  })
})

describe('a yes', () => {
  it('counts for exactly what was asked, in later processes too', () => {
    verifies('G2')
    const { trust } = user()
    trust().decide([ask('trust')], true)
    expect(trust().accepts('trust', 'd1')).toBe(true)
    expect(trust().accepts('trust', 'd2')).toBe(false)
    expect(trust().standingOf(ask('trust', 'd2'))).toBe('changed')
    expect(trust().standingOf(ask('sandbox'))).toBe('new')
    expect(trust().unaccepted([ask('trust'), ask('sandbox')])).toEqual([ask('sandbox')])
  })

  it('to a folder that asks for nothing makes it the user’s own (D7)', () => {
    const { trust } = user()
    trust().decide([], true)
    expect(trust().isAccepted).toBe(true)
  })

  it('adds to what was accepted before', () => {
    const { trust } = user()
    trust().decide([ask('trust')], true)
    trust().decide([ask('sandbox')], true)
    expect(trust().folders).toMatchObject([{ keys: ['trust', 'sandbox'] }])
  })

  it('is for one folder by its real path, however it is named', () => {
    const { home, trust } = user()
    mkdirSync(join(home, 'other'))
    symlinkSync(join(home, 'project'), join(home, 'link'))
    trust(join(home, 'link')).decide([ask('trust')], true)
    expect(trust().accepts('trust', 'd1')).toBe(true)
    expect(trust(join(home, 'other')).accepts('trust', 'd1')).toBe(false)
  })
})

describe('a no', () => {
  it('is remembered, keeps the folder from being the user’s own, and leaves what was accepted', () => {
    const { trust } = user()
    trust().decide([ask('trust')], true)
    trust().decide([ask('sandbox')], false)
    expect(trust().standingOf(ask('sandbox'))).toBe('declined')
    expect(trust().standingOf(ask('trust'))).toBe('accepted')
    expect(trust().isAccepted).toBe(false)
  })

  it('is taken back by a later yes', () => {
    const { trust } = user()
    trust().decide([ask('sandbox')], false)
    trust().decide([ask('sandbox')], true)
    expect(trust().standingOf(ask('sandbox'))).toBe('accepted')
    expect(trust().isAccepted).toBe(true)
  })
})

it('forgets a folder once, and says whether it was known', () => {
  const { trust } = user()
  trust().decide([ask('trust')], true)
  expect([trust().forget(), trust().forget()]).toEqual([true, false])
  expect(trust().standingOf(ask('trust'))).toBe('new')
})

it('believes everything for one process on the caller’s word, and keeps nothing of it', () => {
  const { trust, file } = user()
  const whole = trust(undefined, true)
  expect([whole.isAccepted, whole.accepts('x', 'y'), whole.standingOf(ask('x'))]).toEqual([
    true,
    true,
    'accepted',
  ])
  expect(whole.unaccepted([ask('x')])).toEqual([])
  expect(existsSync(file)).toBe(false)
})

it('does not hear the variable where the caller says no', () => {
  const home = tempFolder({ 'project/toolcrib.yaml': '' })
  const env = { HOME: home, TOOLCRIB_TRUST_FOLDER: '1' }
  const spaces = spacesOf(join(home, 'project'), env)
  expect(new FolderTrust(spaces, env).isWhole).toBe(true)
  expect(new FolderTrust(spaces, env, false).isWhole).toBe(false)
})

describe('the file it is kept in', () => {
  it('is for the user alone', () => {
    const { trust, file } = user()
    trust().decide([ask('trust')], true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['is no JSON', '{'],
    ['is a list', '[]'],
    ['has a record without a date', '{"/a": {"accepted": {}, "declined": {}}}'],
    ['has a digest that is no text', '{"/a": {"at": "", "accepted": {"k": 1}, "declined": {}}}'],
  ])('that %s accepts nothing, is told of, and is not overwritten', (_, text) => {
    const { trust, file } = user()
    trust().decide([ask('trust')], true)
    writeFileSync(file, text)
    expect(trust().accepts('trust', 'd1')).toBe(false)
    expect(trust().problems).toMatchObject([{ code: 'trust-file-damaged', file }])
    expect(() => trust().decide([ask('trust')], true)).toThrow(/is damaged/)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it.skipIf(process.getuid?.() === 0)('that cannot be written says what to do', () => {
    const { home, trust } = user()
    mkdirSync(join(home, '.config/toolcrib'), { recursive: true })
    chmodSync(join(home, '.config/toolcrib'), 0o500)
    expect(() => trust().decide([ask('trust')], true)).toThrow(/nothing was accepted/)
  })
})

it.each([
  ['new', 'you have not accepted this folder'],
  ['changed', 'it changed since you accepted it'],
] as const)('says of a part that is %s why it does not count, with its line', (standing, why) => {
  const problem = notAccepted(ask('trust'), standing)
  expect(problem).toMatchObject({ code: 'folder-not-accepted', severity: 'warning', file: '/f', line: 3 })
  expect(problem.message).toContain(why)
})
