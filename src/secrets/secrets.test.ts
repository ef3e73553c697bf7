import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { admin, alice, Rig, stranger } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { type SecretAccess, Secrets } from './secrets.ts'

let rig: Rig
let accesses: SecretAccess[]
let secrets: Secrets
const keyFile = () => join(rig.dir, 'keys', 'secrets.key')
const make = (more: Partial<ConstructorParameters<typeof Secrets>[0]> = {}) =>
  new Secrets({
    store: rig.store,
    keyFile: keyFile(),
    audit: (access) => accesses.push(access),
    env: { FROM_ENV: 'env-value', PATH: 'p' },
    ...more,
  })

beforeEach(() => {
  rig = new Rig()
  accesses = []
  secrets = make()
})
afterEach(() => rig.close())

const value = 'correct horse battery staple'

describe('a secret', () => {
  it('is created, listed without its value, replaced and removed', async () => {
    verifies('C117')
    const { id, status } = await secrets.create({ name: 'API_KEY', value }, alice)
    expect(status).toBe(201)
    expect(await secrets.list(alice)).toMatchObject([
      { id, name: 'API_KEY', scope_type: 'owner', scope_id: null },
    ])
    expect(JSON.stringify(await secrets.list(alice))).not.toContain(value)
    await secrets.replace(id, { value: 'another one' }, alice)
    expect(await secrets.release('API_KEY', 'local', { place: {}, by: 't', reason: 'r' })).toBe('another one')
    await secrets.remove(id, alice)
    expect(await secrets.list(alice)).toEqual([])
  })

  it('of the same name and scope is a conflict', async () => {
    verifies('C111')
    await secrets.create({ name: 'K', value }, alice)
    await expect(secrets.create({ name: 'K', value }, alice)).rejects.toMatchObject({ code: 'SECRET_EXISTS' })
    await secrets.create({ name: 'K', value, scope_type: 'tool', scope_id: 'mail' }, alice)
  })

  it.each([
    [{ name: '9bad', value }],
    [{ name: 'K', value: '' }],
    [{ name: 'K', value, scope_type: 'planet' }],
    [{ name: 'K', value, scope_type: 'tool' }],
    [{ name: 'K', value: 7 }],
  ])('as %j is refused with 422', async (given) => {
    verifies('C111')
    await expect(secrets.create(given as never, alice)).rejects.toMatchObject({ code: 'INVALID' })
  })

  it('is never in the database file in clear', async () => {
    verifies('C117', 'C-case-60')
    await secrets.create({ name: 'API_KEY', value }, alice)
    await rig.store.runs.append([])
    const bytes = readdirSync(rig.dir)
      .filter((file) => file.startsWith('crib.db'))
      .map((file) => readFileSync(join(rig.dir, file)))
    expect(bytes.length).toBeGreaterThan(0)
    for (const text of bytes) {
      expect(text.includes(value)).toBe(false)
      expect(text.includes(Buffer.from(value).toString('base64'))).toBe(false)
    }
  })

  it('is sealed afresh every time', async () => {
    verifies('C117')
    const { id } = await secrets.create({ name: 'K', value }, alice)
    const first = (await rig.store.secrets.get(id))!.sealed
    await secrets.replace(id, { value }, alice)
    expect((await rig.store.secrets.get(id))!.sealed).not.toBe(first)
  })

  it('is shown to an admin only, on record', async () => {
    verifies('C111', 'C117')
    const { id } = await secrets.create({ name: 'K', value }, alice)
    await expect(secrets.reveal(id, 'curious', alice)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await secrets.reveal(id, 'rotation', admin)).toEqual({ value })
    await expect(secrets.reveal(id, 'x', { ...stranger, isAdmin: true })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(accesses).toEqual([
      { name: 'K', by: 'alice', reason: 'curious', isReleased: false },
      { name: 'K', by: 'root', reason: 'rotation', isReleased: true },
    ])
  })
})

describe('looking a secret up', () => {
  it('goes from tool to workspace to owner, and to the environment only for allowed names', async () => {
    verifies('C117', 'C52')
    await secrets.create({ name: 'K', value: 'owner-value' }, alice)
    await secrets.create({ name: 'K', value: 'tool-value', scope_type: 'tool', scope_id: 'mail' }, alice)
    await secrets.create(
      { name: 'K', value: 'workspace-value', scope_type: 'workspace', scope_id: 'workspace:tools' },
      alice,
    )
    const at = (place: object) => secrets.release('K', 'local', { place, by: 'mail', reason: 'why' })
    expect(await at({ tool: 'mail', workspace: 'workspace:tools' })).toBe('tool-value')
    expect(await at({ tool: 'other', workspace: 'workspace:tools' })).toBe('workspace-value')
    expect(await at({ tool: 'other' })).toBe('owner-value')
    expect(await secrets.release('FROM_ENV', 'local', { place: {}, by: 't', reason: 'r' })).toBeNull()
    expect(
      await make({ envNames: ['FROM_ENV'] }).release('FROM_ENV', 'local', {
        place: {},
        by: 't',
        reason: 'r',
      }),
    ).toBe('env-value')
    expect(
      await make({ envNames: ['FROM_ENV'] }).release('PATH', 'local', { place: {}, by: 't', reason: 'r' }),
    ).toBeNull()
    expect(accesses[0]).toEqual({ name: 'K', by: 'mail', reason: 'why', isReleased: true })
  })
})

describe('the key', () => {
  it('is made on first use with mode 0600 and then stays', async () => {
    verifies('C117')
    expect(existsSync(keyFile())).toBe(false)
    await secrets.create({ name: 'K', value }, alice)
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
    const key = readFileSync(keyFile(), 'utf8')
    expect(Buffer.from(key.trim(), 'base64')).toHaveLength(32)
    expect(await make().release('K', 'local', { place: {}, by: 't', reason: 'r' })).toBe(value)
    expect(readFileSync(keyFile(), 'utf8')).toBe(key)
    expect(readdirSync(dirname(keyFile()))).toEqual(['secrets.key'])
  })

  it('that is configured but absent, or no key, is SECRETS_KEY_MISSING with 503', async () => {
    verifies('C117')
    const absent = make({ isConfigured: true }).create({ name: 'K', value }, alice)
    await expect(absent).rejects.toMatchObject({ code: 'SECRETS_KEY_MISSING' })
    expect(existsSync(keyFile())).toBe(false)
    mkdirSync(dirname(keyFile()), { recursive: true })
    writeFileSync(keyFile(), 'short')
    await expect(make().create({ name: 'K', value }, alice)).rejects.toMatchObject({
      code: 'SECRETS_KEY_MISSING',
    })
  })

  it.skipIf(process.getuid?.() === 0)('that cannot be read is SECRETS_KEY_MISSING', async () => {
    verifies('C117')
    await secrets.create({ name: 'K', value }, alice)
    chmodSync(keyFile(), 0)
    await expect(make().release('K', 'local', { place: {}, by: 't', reason: 'r' })).rejects.toMatchObject({
      code: 'SECRETS_KEY_MISSING',
    })
  })

  it('that is another one is SECRET_UNREADABLE', async () => {
    verifies('C117')
    await secrets.create({ name: 'K', value }, alice)
    const other = make({ keyText: 'ab'.repeat(32) })
    await expect(other.release('K', 'local', { place: {}, by: 't', reason: 'r' })).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: expect.stringContaining('another key'),
    })
  })

  it('does not open a value that was moved to another secret', async () => {
    verifies('C117')
    const one = await secrets.create({ name: 'ONE', value }, alice)
    const two = await secrets.create({ name: 'TWO', value: 'something else' }, alice)
    const { sealed } = (await rig.store.secrets.get(one.id))!
    await rig.store.secrets.update(two.id, sealed, 'now')
    await expect(secrets.release('TWO', 'local', { place: {}, by: 't', reason: 'r' })).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: expect.stringContaining('changed in the store'),
    })
  })
})
