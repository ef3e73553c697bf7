// tools.json commands in a real crib: what a hostile program tries behind the fence, and what a hostile caller
// passes to an honest one.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import type { Outcome } from '../../src/tool/outcome.ts'
import { engines } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { has } from '../helpers/system-parts.ts'
import { argumentCases } from './command-cases.ts'
import { type CaseResult, Grounds, tally, walls } from './grounds.ts'
import { readShellResults, shellCases, shellDriver, writeShellCases } from './shell-cases.ts'

const text = { type: 'string' }
const tool = (name: string, properties: object, required: readonly string[]) => ({
  name,
  description: name,
  parameters: { type: 'object', properties, required, additionalProperties: false },
})

const descriptor = {
  tools: [
    tool('attack', { script: text }, ['script']),
    tool('show', { path: text }, ['path']),
    tool('save', { path: text, content: text }, ['path', 'content']),
    tool('say', { text }, ['text']),
  ],
  allowlist: { sh: [''], cat: [''], tee: [''], printf: ['%s'] },
  execution: [
    {
      tool: 'attack',
      binary: 'sh',
      subcommand: '',
      args: [{ param: 'script', readPath: true }],
      timeoutMs: 170_000,
    },
    {
      tool: 'show',
      binary: 'cat',
      subcommand: '',
      args: [
        { kind: 'literal', value: '--' },
        { param: 'path', readPath: true },
      ],
    },
    {
      tool: 'save',
      binary: 'tee',
      subcommand: '',
      args: [
        { kind: 'literal', value: '--' },
        { param: 'path', writePath: true },
        { param: 'content', kind: 'stdin' },
      ],
    },
    { tool: 'say', binary: 'printf', subcommand: '%s', args: [{ param: 'text' }] },
  ],
}

describe.skipIf(!has('curl')).each(engines)('commands, behind %s', (engine) => {
  const grounds = new Grounds()
  const home = join(grounds.outside, 'home')
  let crib: Crib

  beforeAll(async () => {
    await grounds.open()
    const { project } = grounds.crib
    writeShellCases(grounds)
    for (const folder of ['skills/probe', '.git/hooks']) mkdirSync(join(project, folder), { recursive: true })
    writeFileSync(join(project, '.git', 'config'), '[core]\n')
    writeFileSync(join(project, 'skills/probe/SKILL.md'), '---\nname: probe\ndescription: probes\n---\n')
    writeFileSync(join(project, 'skills/probe/tools.json'), JSON.stringify(descriptor))
    writeFileSync(join(project, 'driver.sh'), shellDriver)
    crib = await openCrib({
      root: project,
      env: { ...process.env, HOME: home },
      config: { trust: 'off', sandbox: { engine }, grants: { default: ['fs.read', 'fs.write:out/**'] } },
    })
  })

  afterAll(async () => {
    await crib.close()
    await grounds.close()
  })

  describe('a hostile program', () => {
    let results = new Map<number, CaseResult>()
    let outcome: Outcome

    beforeAll(async () => {
      outcome = await crib.call('attack', { script: 'driver.sh' }, { timeoutMs: 170_000 })
      // It makes links that lead out: what it wrote is refused as a whole, what it printed is kept.
      results = readShellResults(typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome))
    }, 180_000)

    it.each(shellCases.map((given, index) => ({ ...given, index })))('cannot $name', ({ wall, index }) => {
      const result = results.get(index)
      expect(result, JSON.stringify(result ?? outcome)).toMatchObject({
        escaped: false,
        error: expect.stringMatching(walls[wall]),
      })
    })

    it('is held in every dimension, and its label says so', () => {
      proves('escape-corpus')
      expect(results.size).toBe(shellCases.length)
      tally(`commands behind ${engine}, hostile program`, shellCases, [...results.values()])
      expect(outcome.enforcement.layers).toContain(engine)
      expect(outcome.enforcement.dimensions).toMatchObject({
        network: 'enforced',
        read: 'enforced',
        write: 'enforced',
        env: 'enforced',
        time: 'enforced',
        output: 'enforced',
      })
    })
  })

  describe('a hostile caller', () => {
    const results: { escaped: boolean }[] = []

    it.each(argumentCases)('cannot $name', async ({ tool: id, params, code }) => {
      const filled = JSON.parse(
        grounds.fill(JSON.stringify(params)).replaceAll(process.env['HOME'] ?? '/root', home),
      )
      const outcome = await crib.call(id, filled)
      const isHeld = outcome.ok ? outcome.value === filled.text : outcome.error.code === code
      results.push({ escaped: !isHeld })
      if (code) expect(outcome).toMatchObject({ ok: false, error: { code } })
      else expect(outcome).toMatchObject({ ok: true, value: filled.text })
    })

    it('tried at least 50 ways', () => {
      proves('command-arguments')
      expect(argumentCases.length).toBeGreaterThanOrEqual(50)
      tally(
        'commands, hostile arguments',
        argumentCases.map(({ code }) => ({ wall: code ?? 'verbatim' })),
        results,
      )
    })
  })

  it('leaves the host as it was and the canary in no record', async () => {
    expect(grounds.damage()).toEqual([])
    expect(existsSync(join(grounds.outside, 'pwned'))).toBe(false)
    const { runs } = await crib.crumbs.runs.list({ limit: 1_000 })
    expect(runs.length).toBeGreaterThanOrEqual(argumentCases.length)
    const details = await Promise.all(runs.map(({ runId }) => crib.crumbs.runs.find(runId)))
    expect(JSON.stringify(details)).not.toContain(grounds.canary)
    rmSync(home, { recursive: true, force: true })
  })
})
