import { afterEach, describe, expect, it } from 'vitest'
import { Rig, type RigTool, requestFor } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { makePrincipal, type Principal, standingOf } from '../tool/principal.ts'

let rig: Rig
afterEach(() => rig?.close())

const note = { title: 'n', schema_name: 'note.v1', tags: [], context: {} }
const token = (name: string, more: Partial<Principal> = {}) =>
  makePrincipal({ surface: 'http', name, isToken: true, ...more })
const reader = token('reader', { grants: ['fs.read'] })
const writer = token('writer', { grants: ['fs.write'], allowedTools: 'seer' })
const tokens = { named: (name: string) => [reader, writer].find((one) => one.name === name) }

/** A tool that notes for whom it was run. */
function seer(seen: Principal[], details: RigTool['details'] = {}): RigTool {
  return { fn: (_input, _session, call) => void seen.push(call.principal), details }
}

describe('a run caused by an event', () => {
  it('has the rights of whoever wrote that version of the crumb, and bears that name', async () => {
    verifies('G16')
    const seen: Principal[] = []
    rig = new Rig({ seer: seer(seen, { subscriptions: [{ schema_name: 'note.v1' }] }) })
    await rig.start({ tokens })
    const { id } = await rig.crumbs.create(note, reader)
    await rig.crumbs.update(id, { title: 'two' }, writer)
    await rig.quiet()
    expect(seen).toMatchObject([
      { name: 'reader', surface: 'event', grants: ['fs.read'], isAdmin: false },
      { name: 'writer', surface: 'event', grants: ['fs.write'], allowedTools: 'seer' },
    ])
  })

  it('passes these rights on to what its answer sets off', async () => {
    verifies('G16')
    const seen: Principal[] = []
    const ask: RigTool = { fn: () => 'done' }
    rig = new Rig({ ask, seer: seer(seen, { subscriptions: [{ schema_name: 'tool.response.v1' }] }) })
    await rig.start({ tokens })
    await rig.crumbs.create(requestFor('ask'), writer)
    await rig.quiet()
    expect(seen).toMatchObject([{ name: 'writer', grants: ['fs.write'], allowedTools: 'seer', depth: 1 }])
    expect((await rig.all('tool.response.v1'))[0]).toMatchObject({ created_by: 'writer' })
  })

  it('has no rights once the token is taken away or its time is over', async () => {
    verifies('G16')
    const seen: Principal[] = []
    rig = new Rig({ seer: seer(seen) })
    await rig.crumbs.create(requestFor('seer'), token('gone'))
    await rig.crumbs.create(requestFor('seer'), { ...reader, expiresAt: '2025-06-01T11:59:59Z' })
    await rig.crumbs.create(requestFor('seer'), { ...reader, expiresAt: '2025-06-01T12:30:00Z' })
    await rig.start({ tokens })
    await rig.quiet()
    expect(seen).toMatchObject([
      { name: 'gone', grants: [], allowedTools: '' },
      { name: 'reader', grants: [], allowedTools: '' },
      { name: 'reader', grants: ['fs.read'] },
    ])
  })

  it('keeps the rights of then when the token has others now', async () => {
    verifies('G16')
    const seen: Principal[] = []
    rig = new Rig({ seer: seer(seen) })
    await rig.crumbs.create(requestFor('seer'), reader)
    await rig.start({ tokens: { named: () => token('reader') } })
    await rig.quiet()
    expect(seen).toMatchObject([{ name: 'reader', grants: ['fs.read'] }])
  })

  it('by a tool is bound by the list of whoever called that tool', async () => {
    verifies('G16')
    const seen: Principal[] = []
    const asker: RigTool = { fn: (_input, session) => session.create(requestFor('seer') as never, {}) }
    rig = new Rig({ asker, seer: seer(seen) })
    await rig.start({ tokens })
    await rig.invoke('asker', {}, { principal: { ...writer, allowedTools: 'asker seer' } })
    await rig.quiet()
    expect(seen).toMatchObject([{ name: 'writer', tool: 'asker', allowedTools: 'asker seer', depth: 1 }])
  })

  it('never tells the rights to clients or tools', async () => {
    rig = new Rig()
    const { id } = await rig.crumbs.create(note, writer)
    const events = await rig.store.events.ofCrumb(id)
    expect(JSON.stringify([events, await rig.crumbs.full(id, writer)])).not.toMatch(/rights|fs\.write/)
  })
})

it.each([
  ['reader', ['fs.read'], undefined],
  ['operator', undefined, undefined],
  ['crib', undefined, undefined],
  ['stranger', [], ''],
])(
  'of %s, of whom an old row tells the name only, counts what is known of the name now',
  (name, grants, allowedTools) => {
    verifies('G16')
    expect(standingOf(name, undefined, { tokens, nowMs: 0 })).toMatchObject({
      name,
      isAdmin: false,
      ...(grants && { grants }),
      ...(allowedTools !== undefined && { allowedTools }),
    })
    expect(standingOf(name, undefined, { tokens, nowMs: 0 }).grants).toEqual(grants)
  },
)
