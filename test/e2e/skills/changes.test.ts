// Changes on disk that nobody follows: a call a second later counts with them, and a call without a change costs no walk.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../helpers/verifies.ts'
import { anyParams, code, skillCrib, skillsHost } from './skill-crib.ts'

/** The rule's own measure: not waiting for something, but being a second late. */
const aSecond = () => sleep(1_001)
const audit = code({ role: 'middleware' }, 'ctx.globals.log.push(args)')
const job = (level: string) => code({ ...anyParams, audit: level }, 'return 1')
const main = (level: string) =>
  `---\nname: app\nmetadata:\n  role: main\n  audit: ${level}\n---\nThe app, which says ${level}.\n`

describe('without a watcher, a call one second after a change', () => {
  it('sees changed metadata of the tool and of the levels above it', async () => {
    verifies('S43', 'K59')
    const crib = await skillCrib({
      'main.skill.md': main('far'),
      'audit.skill.js': audit,
      'job.skill.js': job('near'),
      'plain.skill.js': code(anyParams, 'return 1'),
    })
    await crib.value('job')
    await crib.value('plain')
    expect(await crib.log()).toEqual(['near', 'far'])
    crib.write({ 'job.skill.js': job('nearer') })
    await aSecond()
    await crib.value('job')
    expect(await crib.log()).toEqual(['nearer'])
    crib.write({ 'main.skill.md': main('farther') })
    await aSecond()
    await crib.value('plain')
    expect(await crib.log()).toEqual(['farther'])
  })

  it('sees that a skill file came or went, in a new folder too', async () => {
    verifies('S43')
    const crib = await skillCrib({
      'job.skill.js': job('x'),
      'skills/gone/SKILL.md': '---\nname: gone\n---\n',
    })
    mkdirSync(join(crib.root, 'skills/empty'))
    await crib.value('job')
    crib.write({ 'skills/new/deep/er.skill.js': 'export default () => 2', 'audit.skill.js': audit })
    rmSync(join(crib.root, 'skills/gone'), { recursive: true })
    await aSecond()
    await crib.value('job')
    expect(await crib.log()).toEqual(['x'])
    expect(await crib.value('er')).toBe(2)
    expect(await crib.code('gone')).toBe('TOOL_NOT_FOUND')
    crib.write({ 'skills/empty/late.skill.js': 'export default () => 3' })
    await aSecond()
    expect(await crib.value('late')).toBe(3)
    crib.write({ 'skills/.toolcribignore': 'empty\n' })
    await aSecond()
    expect(await crib.code('late')).toBe('TOOL_NOT_FOUND')
  })

  it('sees it when code calls, and when the tool was found before', async () => {
    verifies('S43')
    const crib = await skillCrib({ 'audit.skill.js': audit, 'job.skill.js': job('one') })
    const found = crib.crib.find('job')
    const gone = crib.crib.find('audit')
    crib.write({ 'job.skill.js': job('twofold') })
    await aSecond()
    expect(await crib.crib.call(found, {})).toMatchObject({ ok: true })
    expect(await crib.log()).toEqual(['twofold'])
    crib.write({
      'caller.skill.js': code(
        { $inherit: false, ...anyParams },
        `ctx.log('info', 'write')
         await new Promise((resolve) => setTimeout(resolve, 1001))
         return ctx.manager.invoke('job', {})`,
      ),
    })
    await aSecond()
    const onLog = ({ message }: { message: string }) =>
      message === 'write' && crib.write({ 'job.skill.js': job('three times') })
    expect(await crib.crib.call('caller', {}, { onLog })).toMatchObject({ ok: true })
    expect(await crib.log()).toEqual(['three times'])
    rmSync(join(crib.root, 'skills/audit.skill.js'))
    await aSecond()
    expect(await crib.crib.call(gone, {})).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
  })

  // A fence without layers shows the protected names as empty files, and the catalog looks at them.
  it.skipIf(skillsHost === 'never')(
    'reads nothing again where nothing changed that matters to skills',
    async () => {
      verifies('S43')
      const crib = await skillCrib({
        'job.skill.js': job('x'),
        '.gitignore': 'build\n',
        'build/x.skill.js': '',
      })
      await aSecond()
      await crib.value('job')
      const { version } = crib.crib.catalog
      const tool = crib.crib.find('job')
      const composed = crib.crib.kernel.compose(tool)
      writeFileSync(join(crib.root, 'result.txt'), 'a tool wrote this')
      writeFileSync(join(crib.root, 'skills/result.json'), '{}')
      await aSecond()
      await crib.value('job')
      await aSecond()
      await crib.value('job')
      expect(crib.crib.catalog.version).toBe(version)
      expect(crib.crib.kernel.compose(tool)).toBe(composed)
    },
  )
})
