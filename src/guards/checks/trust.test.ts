import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { callOf, cribWith, cribWithTool, refusalBy } from '../../../test/helpers/crib-with-tool.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Trust } from '../../tool/tool.ts'
import { newKey } from '../../trust/keys.ts'
import { signText } from '../../trust/sign-file.ts'
import { createSigningKey, loadSigningKey } from '../../trust/signing-key.ts'
import type { TrustStore } from '../../trust/trust-store.ts'
import { trust } from './trust.ts'

/** Nothing is stated in metadata. */
const none = () => false

describe('trust', () => {
  type Status = 'unsigned' | 'untrusted' | 'tampered' | 'trusted'

  async function cribWithFile(status: Status, mode: string) {
    const { crib, tool } = await cribWithTool({}, () => 'ran', { trust: mode })
    const folder = join(crib.spaces.project, 'keys')
    const key = status === 'untrusted' ? createSigningKey(folder) : signingKeyOf(crib.trust, folder)
    const signed = signText('t.py', 'a = 1\n', key, '2026-01-02T03:04:05Z')
    const file = join(crib.spaces.project, 't.py')
    writeFileSync(
      file,
      status === 'unsigned' ? 'a = 1\n' : status === 'tampered' ? signed.replace('a = 1', 'a = 2') : signed,
    )
    return { crib, tool: { ...tool, source: { file, digest: '' } } }
  }

  function signingKeyOf(store: TrustStore, folder: string) {
    newKey(store, folder, 'Ada')
    return loadSigningKey(folder)
  }

  it.each([
    ['warn', 'unsigned', 'ok'],
    ['warn', 'untrusted', 'ok'],
    ['warn', 'tampered', 'TRUST_TAMPERED'],
    ['require', 'unsigned', 'TRUST_UNSIGNED'],
    ['require', 'untrusted', 'TRUST_UNTRUSTED'],
    ['require', 'tampered', 'TRUST_TAMPERED'],
    ['require', 'trusted', 'ok'],
    ['off', 'tampered', 'ok'],
  ] as const)('in mode %s a tool that is %s gets %s', async (mode, status, expected) => {
    verifies('R78')
    const { crib, tool } = await cribWithFile(status, mode)
    const outcome = await crib.call(tool)
    expect(outcome.ok ? 'ok' : outcome.error.code).toBe(expected)
  })

  it('says in the log of the call what it let pass', async () => {
    verifies('R78')
    vi.stubEnv('TOOLCRIB_TRUST_FOLDER', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { crib, tool } = await cribWithFile('unsigned', 'warn')
    expect((await crib.call(tool)).logs).toMatchObject([
      { level: 'warn', message: 't is unsigned: it carries no signature' },
    ])
  })

  it('says nothing of an unsigned tool of a folder that the user accepted', async () => {
    verifies('D7')
    vi.stubEnv('TOOLCRIB_TRUST_FOLDER', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { crib, tool } = await cribWithFile('unsigned', 'warn')
    crib.folder.decide([], true)
    expect((await crib.call(tool)).logs).toEqual([])
  })
})

async function checkWith(mode: 'off' | 'warn' | 'require', verdict: Trust) {
  const { config } = await cribWith({ trust: mode })
  return trust({ config, trustOf: () => verdict, isFolderAccepted: () => false })
}

const inFile = (file: string) => ({ source: { file, digest: '' } })

it('judges no tool that ships with the program, none made in code, and none where trust is off', async () => {
  const check = await checkWith('require', { status: 'unsigned' })
  const { tool } = callOf(inFile('/a.py'))
  expect(check.applies!(tool, none)).toBe(true)
  expect(check.applies!({ ...tool, tier: 'system' }, none)).toBe(false)
  expect(check.applies!(callOf().tool, none)).toBe(false)
  expect((await checkWith('off', { status: 'tampered' })).applies!(tool, none)).toBe(false)
})

it('says which file, why, and what to do about it', async () => {
  const check = await checkWith('require', { status: 'untrusted', reason: 'key 12ab' })
  expect(await refusalBy(check, callOf(inFile('/a.py')))).toMatchObject({
    code: 'TRUST_UNTRUSTED',
    message: 't (/a.py) is signed by a key you do not trust: key 12ab.',
    hint: 'If you trust its owner: `toolcrib keys trust <key file>`.',
  })
})

it('refuses a tool of the store only where signatures are required, without asking for a verdict', async () => {
  const stored = callOf({ source: { file: null, digest: '', crumb: 'c1' } })
  const required = await checkWith('require', { status: 'trusted' })
  expect(await refusalBy(required, stored)).toMatchObject({ code: 'TRUST_UNSIGNED' })
  expect(await refusalBy(await checkWith('warn', { status: 'tampered' }), stored)).toBeUndefined()
})

it('warns once of a tool in a process, and again when its status is another', async () => {
  const unsigned = await checkWith('warn', { status: 'unsigned' })
  const untrusted = await checkWith('warn', { status: 'untrusted' })
  const logs: string[] = []
  const onLog = ({ message }: { readonly message: string }) => logs.push(message)
  for (const check of [unsigned, unsigned, untrusted])
    await refusalBy(check, callOf(inFile('/warned-once.py'), { onLog }))
  expect(logs).toEqual(['t is unsigned', 't is untrusted'])
})

it('keeps its warning for a call that runs', async () => {
  const check = await checkWith('warn', { status: 'unsigned' })
  const asked = callOf(inFile('/asked-first.py'), { dryRun: true })
  await refusalBy(check, asked)
  expect(asked.logs).toEqual([])
  const called = callOf(inFile('/asked-first.py'))
  await refusalBy(check, called)
  expect(called.logs).toHaveLength(1)
})

it('waits for a verdict that takes time', async () => {
  const { config } = await cribWith({ trust: 'require' })
  const check = trust({
    config,
    trustOf: async () => ({ status: 'tampered' }),
    isFolderAccepted: () => false,
  })
  expect(await refusalBy(check, callOf(inFile('/a.py')))).toMatchObject({ code: 'TRUST_TAMPERED' })
})
