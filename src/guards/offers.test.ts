import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cribWith, cribWithTool } from '../../test/helpers/crib-with-tool.ts'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { openCrib } from '../crib/open-crib.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool, type Tool } from '../tool/tool.ts'

const client = makePrincipal({ surface: 'mcp' })
const reader = makePrincipal({ surface: 'http', name: 'reader', grants: ['fs.read'] })
const limited = makePrincipal({ surface: 'http', name: 'limited', allowedTools: 'other' })

async function offersOf(fields: Partial<Tool>, config: Record<string, unknown> = {}) {
  const { crib, tool } = await cribWithTool(fields, () => 'ran', config)
  return { crib, offers: crib.offers, tool }
}

describe('a tool of the crib', () => {
  it('is offered though it lacks a grant, because the operator may add it', async () => {
    verifies('D18')
    const { offers, tool } = await offersOf({ requires: ['net.http'] })
    expect(offers.isOffered(tool, client)).toBe(true)
  })

  it('is not offered when its state refuses every call', async () => {
    const { offers, tool } = await offersOf({ state: 'quarantined', reason: 'it changed' })
    expect(offers.isOffered(tool, client)).toBe(false)
    expect(offers.isVisible(tool, client)).toBe(true)
  })

  it('is not offered when it was changed after it was signed', async () => {
    const source = { file: '/a/t.py', digest: '' }
    const { offers, tool } = await offersOf({ source, trust: { status: 'tampered' } })
    expect(offers.isOffered(tool, client)).toBe(false)
  })

  it('is offered unsigned, unless signatures are required', async () => {
    const fields: Partial<Tool> = { source: { file: '/a/t.py', digest: '' }, trust: { status: 'unsigned' } }
    const lax = await offersOf(fields)
    expect(lax.offers.isOffered(lax.tool, client)).toBe(true)
    const strict = await offersOf(fields, { trust: 'require' })
    expect(strict.offers.isOffered(strict.tool, client)).toBe(false)
  })
})

describe('a tool that ships', () => {
  it('is offered only where no call of it would be refused for want of a grant', async () => {
    verifies('D18')
    const fields: Partial<Tool> = { tier: 'system', requires: ['net.http'] }
    const without = await offersOf(fields)
    expect(without.offers.isOffered(without.tool, client)).toBe(false)
    expect(without.offers.isVisible(without.tool, client)).toBe(true)
    const granted = await offersOf(fields, { grants: { tools: { t: ['net.http'] } } })
    expect(granted.offers.isOffered(granted.tool, client)).toBe(true)
  })
})

describe('a principal with rights of its own', () => {
  it('sees no tool that its grants do not reach', async () => {
    const { offers, tool } = await offersOf({ requires: ['fs.write'] })
    expect(offers.isVisible(tool, reader)).toBe(false)
    expect(offers.isOffered(tool, reader)).toBe(false)
    expect(offers.isVisible(makeTool({ ...tool, requires: ['fs.read'] }), reader)).toBe(true)
  })

  it('sees no tool that its list of tools leaves out', async () => {
    const { offers, tool } = await offersOf({})
    expect(offers.isVisible(tool, limited)).toBe(false)
    expect(offers.isVisible(makeTool({ ...tool, id: 'other' }), limited)).toBe(true)
  })
})

it('offers exactly the shipped tools that a call without arguments is not refused for rights or state', async () => {
  const crib = await cribWith()
  const shipped = crib.list().filter(({ tier }) => tier === 'system')
  expect(shipped.length).toBeGreaterThan(5)
  for (const tool of shipped) {
    const refusals = await crib.refusals(tool, undefined, { principal: client })
    const asked = refusals.filter(({ check }) =>
      ['ready', 'trust', 'lock', 'grants', 'allowed-tools'].includes(check),
    )
    expect([tool.id, crib.offers.isOffered(tool, client)]).toEqual([tool.id, asked.length === 0])
  }
})

it('asks anew when the settings were read again', async () => {
  const { crib, offers, tool } = await offersOf({ tier: 'system', requires: ['net.http'] })
  expect(offers.isOffered(tool, client)).toBe(false)
  mkdirSync(crib.spaces.userConfig, { recursive: true })
  writeFileSync(join(crib.spaces.userConfig, 'config.yaml'), 'grants: { tools: { t: [net.http] } }\n')
  await crib.reload()
  expect(offers.isOffered(tool, client)).toBe(true)
})

it('keeps its list while the crib is halted, which passes', async () => {
  const { crib, offers, tool } = await offersOf({})
  await crib.halt.set('ada')
  expect(offers.isOffered(tool, client)).toBe(true)
})

it('offers no tool to itself', async () => {
  verifies('D18')
  const { offers, tool } = await offersOf({})
  expect(offers.isOffered(tool, { ...client, tool: 't' })).toBe(false)
})

it('asks the check of a plugin that needs no arguments', async () => {
  const never = {
    name: 'never',
    stage: '$pre-configure' as const,
    judgesArgs: false,
    check() {
      throw new Error('not today')
    },
  }
  const root = tempFolder()
  const crib = await openCrib({ root, env: { HOME: root }, use: [{ name: 'never', checks: [never] }] })
  onTestFinished(() => crib.close())
  expect(crib.offers.isOffered(crib.addTool({ id: 't', fn: () => 1 }), client)).toBe(false)
  expect(await crib.call('t')).toMatchObject({ ok: false, error: { code: 'TOOL_NOT_ALLOWED' } })
})

it('is asked by agent-discover too: a token is told of no tool that its grants do not reach', async () => {
  const crib = await cribWith()
  const fields = { params: { type: 'object' }, fn: () => 1 } as const
  crib.addTools([
    { id: 'alpha', ...fields, requires: ['fs.read'] },
    { id: 'beta', ...fields, requires: ['fs.write'] },
  ])
  const found = await crib.call('agent-discover', { query: '' }, { principal: reader })
  const names = found.ok && (found.value as { tools: { name: string }[] }).tools.map(({ name }) => name)
  expect(names).toContain('alpha')
  expect(names).not.toContain('beta')
  expect(await crib.call('skill-describe', { ref: 'beta' }, { principal: reader })).toMatchObject({
    ok: false,
    error: { code: 'TOOL_NOT_FOUND' },
  })
})

describe('the text of a tool', () => {
  it('may be read though the tool is of a kind that cannot be called', async () => {
    const { offers, tool } = await offersOf({ kind: 'library' })
    expect(offers.isOffered(tool, client)).toBe(false)
    expect(offers.isReadable(tool, client)).toBe(true)
  })

  it.each(['disabled', 'invalid', 'quarantined', 'unavailable'] as const)(
    'is not read while the tool is %s',
    async (state) => {
      const { offers, tool } = await offersOf({ kind: 'context', state })
      expect(offers.isReadable(tool, client)).toBe(false)
    },
  )

  it('is not read when a call of it would be refused for who signed it', async () => {
    const source = { file: '/a/t.md', digest: '' }
    const changed: Partial<Tool> = { kind: 'context', source, trust: { status: 'tampered' } }
    const unsigned: Partial<Tool> = { kind: 'context', source, trust: { status: 'unsigned' } }
    const answers = [
      await offersOf(changed),
      await offersOf(changed, { trust: 'off' }),
      await offersOf(unsigned),
      await offersOf(unsigned, { trust: 'require' }),
    ].map(({ offers, tool }) => offers.isReadable(tool, client))
    expect(answers).toEqual([false, true, true, false])
  })
})
