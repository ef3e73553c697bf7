import { describe, expect, it } from 'vitest'
import { callOf, cribWith, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { makePrincipal } from '../../tool/principal.ts'
import { makeTool } from '../../tool/tool.ts'
import { grants } from './grants.ts'

describe('grants', () => {
  it('refuses a capability that is not granted, with the line to add', async () => {
    verifies('R66')
    const { crib, tool } = await cribWithTool({ requires: ['net.http'] }, () => 'ran')
    expect(await crib.call(tool)).toMatchObject({
      ok: false,
      error: {
        code: 'CAPABILITY_DENIED',
        message: 't needs net.http, which is not granted to it.',
        hint: expect.stringContaining('grants: { tools: { "t": [net.http] } }'),
      },
    })
  })

  it.each([
    { t: ['net.http'] },
    { '*': ['net.*'] },
    { '#web': ['net.http'] },
    { 'builtin:*': ['net.http:example.com'] },
  ])('runs what %j grants', async (tools) => {
    const { crib, tool } = await cribWithTool({ requires: ['net.http'], tags: ['web'] }, () => 'ran', {
      grants: { tools },
    })
    expect(await crib.call(tool)).toMatchObject({ ok: true })
  })

  it('lets a caller’s grants only narrow', async () => {
    const { crib, tool } = await cribWithTool({ requires: ['fs.write'] }, () => 'ran')
    expect(
      await crib.call(tool, undefined, {
        principal: makePrincipal({ surface: 'http', grants: ['fs.read'] }),
      }),
    ).toMatchObject({ error: { code: 'CAPABILITY_DENIED' } })
    const net = makeTool({ ...tool, requires: ['net.http'] })
    expect(
      await crib.call(net, undefined, { principal: makePrincipal({ surface: 'http', grants: ['*'] }) }),
    ).toMatchObject({ error: { code: 'CAPABILITY_DENIED' } })
  })
})

it('names all capabilities that are missing, and one line that grants them', async () => {
  const check = grants(await cribWith({ grants: { tools: { t: ['fs.read'] } } }))
  const call = callOf({ requires: ['net.http', 'fs.read', 'process.spawn'] })
  expect(await refusalBy(check, call)).toMatchObject({
    message: 't needs net.http, process.spawn, which are not granted to it.',
    hint: expect.stringContaining('{ "t": [net.http, process.spawn] }'),
    details: { capability: 'net.http', capabilities: ['net.http', 'process.spawn'], tool: 't' },
  })
})

it('sends the bearer of a narrow token to another token, not to the settings', async () => {
  const check = grants(await cribWith({ grants: { tools: { t: ['net.http'] } } }))
  const principal = makePrincipal({ surface: 'http', grants: ['fs.read'] })
  expect(await refusalBy(check, callOf({ requires: ['net.http'] }, { principal }))).toMatchObject({
    message: "t needs net.http, which the caller's token does not allow.",
    hint: 'Use a token with that grant.',
  })
})

it('notes grants and profile on the call, those of a token narrowed', async () => {
  const check = grants(await cribWith({ grants: { default: [], tools: { t: ['net.http', 'fs.read'] } } }))
  const wide = callOf()
  const principal = makePrincipal({ surface: 'http', grants: ['net.http'] })
  const narrow = callOf({}, { principal })
  for (const call of [wide, narrow]) expect(await refusalBy(check, call)).toBeUndefined()
  expect(wide.grants).toEqual(['net.http', 'fs.read'])
  expect(narrow.grants).toEqual(['net.http'])
  expect(wide.profile).not.toBeNull()
  expect(narrow.profile).not.toEqual(wide.profile)
})
