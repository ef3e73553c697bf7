// Hostile shell commands behind the fence: every way out is tried for real, and the wall that stops it is named.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proves } from '../proves.ts'
import { has } from '../system-parts.ts'
import { Grounds, tally, walls } from './grounds.ts'
import { shellCases, shellDriver } from './shell-cases.ts'

describe.skipIf(!has('bwrap') || !has('curl'))('shell', () => {
  const grounds = new Grounds()
  const results = new Map<number, { code: number; said: string }>()
  let output = ''

  beforeAll(async () => {
    await grounds.open()
    const { project } = grounds.crib
    mkdirSync(join(project, 'cases'))
    shellCases.forEach(({ code }, index) => {
      writeFileSync(join(project, 'cases', `${String(index).padStart(3, '0')}.sh`), grounds.fill(code))
    })
    const ended = await grounds.crib.run(
      grounds.crib.shell(shellDriver, { HOME: '/home/tool', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }),
      { write: [join(project, 'out')] },
      { timeoutMs: 150_000 },
    )
    output = ended.stdout.text + ended.stderr.text
    for (const block of ended.stdout.text.split('@@').slice(1)) {
      const [, index, code, said] = /^(\d+)\.sh (\d+)\n([\s\S]*)$/.exec(block)!
      results.set(Number(index), { code: Number(code), said: said!.trim() })
    }
  }, 180_000)

  afterAll(() => grounds.close())

  it.each(shellCases.map((given, index) => ({ ...given, index })))('cannot $name', ({ wall, index }) => {
    const result = results.get(index)
    expect(result?.code, JSON.stringify(result)).not.toBe(0)
    expect(result?.said).toMatch(walls[wall])
  })

  it('has at least 60 ways out to try', () => {
    proves('escape-corpus')
    expect(shellCases.length).toBeGreaterThanOrEqual(60)
    expect(results.size).toBe(shellCases.length)
    tally(
      'shell',
      shellCases,
      [...results.values()].map(({ code }) => ({ escaped: code === 0 })),
    )
  })

  it('leaves the host as it was and the canary unseen', () => {
    expect(grounds.damage()).toEqual([])
    expect(output).not.toContain(grounds.canary)
    expect(existsSync(`/tmp/toolcrib-escape-${process.pid}`)).toBe(false)
  })
})
