// What the tools of a folder, and the places its grants name, ask of the user (G2).
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Config, defaultConfig } from '../config/config.ts'
import { FolderTrust } from '../config/folder-trust.ts'
import { spacesOf } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { Lock } from '../trust/lock/lock.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'
import type { Voucher } from '../trust/vouched.ts'
import { nameAsks } from './name-asks.ts'
import { closedPlaces, placeAsks } from './place-asks.ts'
import { secretAsks } from './secret-asks.ts'

const yields = { code: 'yields-to-vouched', severity: 'warning', message: '', hint: '' } as const

function folder() {
  const home = tempFolder({ 'crib/mail.py': '' })
  const spaces = spacesOf(join(home, 'crib'), { HOME: home })
  const file = join(spaces.project, 'mail.py')
  const lock = new Lock({ spaces, frozen: false })
  const toolOf = (more: Partial<Tool> = {}): Tool =>
    makeTool({
      id: 'mail',
      format: 'rye',
      tier: 'project',
      source: { file, digest: 'd', line: 3 },
      secrets: ['SMTP_KEY'],
      ...more,
    })
  return { spaces, file, lock, toolOf, trust: new FolderTrust(spaces, {}, false) }
}

describe('a tool that names secrets', () => {
  interface Circumstances {
    readonly voucher?: Voucher
    readonly tools?: Config['tools']
  }
  const asked = (more: Partial<Tool>, { voucher, tools = {} }: Circumstances = {}) => {
    const { toolOf, lock, file, spaces } = folder()
    const config = { ...defaultConfig, tools }
    const asks = secretAsks([toolOf(more)], { config, lock, spaces, voucherOf: () => voucher ?? null })
    return { asks, words: asks.map(({ what }) => what), file }
  }

  it('asks for them by name, with the line of its definition', () => {
    verifies('G2', 'G19')
    const { asks, file } = asked({ secrets: ['SMTP_KEY', 'SMTP_USER'] })
    expect(asks).toMatchObject([{ what: 'give mail the secrets SMTP_KEY, SMTP_USER', file, line: 3 }])
    expect(asked({}).words).toEqual(['give mail the secret SMTP_KEY'])
  })

  it.each(['signed', 'pinned', 'user', 'made-in-code'] as const)(
    'asks for nothing when it is %s',
    (voucher) => {
      expect(asked({}, { voucher }).asks).toEqual([])
    },
  )

  it('is still on the list when a yes to the folder is all it has, so that it can be taken back', () => {
    expect(asked({}, { voucher: 'accepted' }).asks).toHaveLength(1)
  })

  it('asks for no secret that the operator gave it', () => {
    const placeholders = ['TOKEN:X-Key']
    const tools = { mail: { secrets: ['SMTP_KEY'], placeholders } } as Config['tools']
    expect(asked({ secrets: ['SMTP_KEY', 'TOKEN'] }, { tools }).asks).toEqual([])
    expect(asked({ secrets: ['SMTP_KEY', 'OTHER'] }, { tools }).words).toEqual(['give mail the secret OTHER'])
  })

  it.each([
    ['names none', { secrets: [] }],
    ['ships', { tier: 'system' }],
    ['has no file', { source: { file: null, digest: '' } }],
    ['lost its id to another', { problems: [yields] }],
  ] as [string, Partial<Tool>][])('asks for nothing when it %s', (_, more) => {
    expect(asked(more).asks).toEqual([])
  })
})

describe('a tool that lost its id to one that somebody vouches for', () => {
  it('asks that its id means it, and tells which secrets go with that', () => {
    verifies('G2', 'G8')
    const { toolOf, lock, file } = folder()
    const what = (secrets: string[]) => nameAsks([toolOf({ problems: [yields], secrets })], lock)[0]!.what
    expect(what([])).toBe(`let mail mean ${file}`)
    expect(what(['A', 'B'])).toBe(`let mail mean ${file}, and give it A, B`)
  })

  it('is the only one that asks, and only where it has a file', () => {
    const { toolOf, lock } = folder()
    const unfiled = toolOf({ problems: [yields], source: { file: null, digest: '' } })
    expect(nameAsks([toolOf(), unfiled], lock)).toEqual([])
  })
})

describe('a protected place that a grant of the folder names', () => {
  const named = () => {
    const { spaces, trust } = folder()
    const { project } = spaces
    const keys = join(project, 'keys')
    const why = (path: string) =>
      isInside(path, keys) ? { path, reason: 'it holds keys', isFixed: false } : undefined
    const given = (...folderGrants: string[]) => ({
      project,
      loaded: { folderGrants },
      file: 'toolcrib.yaml',
    })
    const asks = (...grants: string[]) => placeAsks(given(...grants), { why } as ProtectedSet)
    return { keys, given, asks, trust }
  }

  it('is asked for with its reason', () => {
    verifies('G2', 'G6')
    const { keys, asks } = named()
    expect(asks('fs.write:keys/own')).toMatchObject([
      {
        key: 'place fs.write:keys/own',
        what: `change ${join(keys, 'own')}: it holds keys`,
        file: 'toolcrib.yaml',
      },
    ])
  })

  it('is asked for only where something protected may be written', () => {
    const { asks } = named()
    expect(asks('fs.read:keys/own', 'fs.write:docs', 'fs.write', 'net.http:keys')).toEqual([])
    expect(asks()).toEqual([])
  })

  it('is closed until somebody accepts exactly that grant', () => {
    verifies('G6')
    const { keys, given, asks, trust } = named()
    const grants = given('fs.write:keys/a', 'fs.write:keys/b')
    expect(closedPlaces(grants, trust)).toEqual([join(keys, 'a'), join(keys, 'b')])
    trust.decide(asks('fs.write:keys/a'), true)
    expect(closedPlaces(grants, trust)).toEqual([join(keys, 'b')])
  })
})
