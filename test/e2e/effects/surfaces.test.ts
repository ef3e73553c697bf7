// File changes over HTTP, MCP and the library: told, previewed, held, accepted in part, undone.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../../src/crib/open-crib.ts'
import { servedCrib } from '../../../src/surfaces/http/fixtures/served-crib.ts'
import { toolResult, toolResultText } from '../../../src/surfaces/mcp/tool-result.ts'
import { lockCrib } from '../../../src/surfaces/trust/lock-crib.ts'
import { effectCrib, effectToolFiles } from '../../helpers/effect-tools.ts'
import { canLayer } from '../../helpers/layered.ts'
import { verifies } from '../../helpers/verifies.ts'

async function opened(config: Record<string, unknown> = {}, files: Record<string, string> = {}) {
  const { root, env } = effectCrib(files)
  const crib = await openCrib({ root, env, config })
  onTestFinished(() => crib.close())
  return { crib, root, env, read: (file: string) => readFileSync(join(root, file), 'utf8') }
}

describe.skipIf(!canLayer)('file changes in the library', () => {
  it('are thrown away when asked for, and told all the same', async () => {
    verifies('E9', 'E18')
    const { crib, read } = await opened()
    const call = { file: 'notes.txt', text: 'x\n' }
    const { effects, runId } = await crib.call('write/py', call, { effects: 'discard' })
    expect(effects).toMatchObject({ state: 'discarded', changed: 1 })
    expect(read('notes.txt')).toBe('first\n')
    expect(crib.changes(runId).diff).toContain('+x\n')
  })

  it('are held until a person accepts some of them, also after a restart', async () => {
    verifies('E9')
    const { crib, root, env, read } = await opened({ effects: { tools: { 'write/sh': 'hold' } } })
    const { effects, runId } = await crib.call('write/sh', { file: 'out/new.txt', text: 'x\n' })
    expect(effects).toMatchObject({ state: 'held', added: 1, changeSet: runId })
    expect(existsSync(join(root, 'out'))).toBe(false)
    await crib.close()
    const later = await openCrib({ root, env })
    onTestFinished(() => later.close())
    expect(later.changes(runId)).toMatchObject({ state: 'held', diff: expect.stringContaining('+x\n') })
    await expect(later.decide(runId, ['nothing'])).rejects.toMatchObject({ code: 'PARAMS_INVALID' })
    expect(await later.decide(runId, ['out/new.txt'])).toMatchObject({ state: 'committed', added: 1 })
    expect(read('out/new.txt')).toBe('x\n')
    await expect(later.decide(runId, 'all')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('are thrown away when a person rejects them', async () => {
    verifies('E9')
    const { crib, read } = await opened()
    const { runId } = await crib.call('write/py', { file: 'notes.txt', text: 'x\n' }, { effects: 'hold' })
    expect(await crib.decide(runId, 'none')).toMatchObject({ state: 'discarded' })
    expect(read('notes.txt')).toBe('first\n')
  })

  it('are decided on by one of two who do so at once, and wait on where that came to nothing', async () => {
    verifies('E9')
    const { crib, root, env, read } = await opened()
    const { runId } = await crib.call('write/py', { file: 'notes.txt', text: 'x\n' }, { effects: 'hold' })
    await expect(crib.decide(runId, ['nothing'])).rejects.toMatchObject({ code: 'PARAMS_INVALID' })
    const [accepted, rejected] = await Promise.allSettled([
      crib.decide(runId, 'all'),
      crib.decide(runId, 'none'),
    ])
    expect(accepted).toMatchObject({ status: 'fulfilled', value: { state: 'committed' } })
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
    expect(read('notes.txt')).toBe('first\nx\n')
    expect(crib.changes(runId).state).toBe('committed')
    await crib.close()
    const later = await openCrib({ root, env })
    onTestFinished(() => later.close())
    await later.undo(runId)
    expect(read('notes.txt')).toBe('first\n')
  })

  it('are in place when the tool failed by itself, and not when it was stopped', async () => {
    verifies('E10')
    const { crib, read } = await opened()
    const failed = await crib.call('write/py', { file: 'notes.txt', text: 'x\n', op: 'fail' })
    expect(failed).toMatchObject({ ok: false, effects: { state: 'committed' } })
    const late = await crib.call(
      'write/py',
      { file: 'notes.txt', text: 'y\n', op: 'hang' },
      { timeoutMs: 700 },
    )
    expect(late).toMatchObject({ ok: false, error: { code: 'TIMEOUT' } })
    expect(read('notes.txt')).toBe('first\nx\n')
  })

  it('cannot be taken back once effects.keep let go of what was there before, and that is said', async () => {
    verifies('E15')
    const { crib } = await opened({ effects: { keep: { days: 14, bytes: 1 } } })
    const { runId } = await crib.call('write/sh', { file: 'notes.txt', text: 'x\n' })
    await expect(crib.undo(runId)).rejects.toMatchObject({ hint: expect.stringContaining('effects.keep') })
  })

  it('of a code skill that somebody vouches for can be taken back, and one that only reads stays in the host', async () => {
    verifies('E1', 'E14')
    const reads = `import { readFileSync } from 'node:fs'
export const frontmatter = { name: 'read-skill-notes', description: 'Reads the notes',
  metadata: { params: { type: 'object', properties: { file: { type: 'string' } } } } }
export default (ctx, { file }) => readFileSync(file, 'utf8')
`
    const { crib, root, read } = await opened(
      {},
      { 'crib/toolcrib.yaml': 'trust: "off"\n', 'crib/skills/reads.skill.js': reads },
    )
    await lockCrib(crib, { programs: false })
    const file = join(root, 'notes.txt')
    const seen = await crib.call('read-skill-notes', { file })
    expect(seen).toMatchObject({ ok: true, value: 'first\n', enforcement: { layers: ['in-process'] } })
    const written = await crib.call('write-skill', { file, text: 'x\n' })
    expect(written).toMatchObject({ ok: true, effects: { state: 'committed', changed: 1 } })
    expect(written.enforcement.layers).not.toContain('in-process')
    expect(read('notes.txt')).toBe('first\nx\n')
    await crib.undo(written.runId)
    expect(read('notes.txt')).toBe('first\n')
    expect(crib.runsInHost(crib.find('read-skill-notes')!)).toBe(true)
    expect(crib.runsInHost(crib.find('write-skill')!)).toBe(false)
  })

  it('go directly to the files where the settings say so, and the label tells it', async () => {
    verifies('E1', 'E2')
    const { crib, read } = await opened({ effects: { default: 'direct' } })
    const { effects, enforcement } = await crib.call('write/sh', { file: 'notes.txt', text: 'x\n' })
    expect(effects).toMatchObject({ state: 'direct', reason: 'effects: direct is set for the tool' })
    expect(enforcement.dimensions['effects']).toBe('direct')
    expect(read('notes.txt')).toBe('first\nx\n')
  })

  it('are refused where they must be held and cannot be', async () => {
    verifies('E2')
    const { crib, read } = await opened({ sandbox: { engine: 'bubblewrap' } })
    for (const tool of ['write/sh', 'write/py'])
      expect(await crib.call(tool, { file: 'notes.txt', text: 'x\n' }, { effects: 'hold' })).toMatchObject({
        ok: false,
        error: { code: 'SANDBOX_UNAVAILABLE' },
      })
    expect(read('notes.txt')).toBe('first\n')
  })

  it('are a conflict where a person changed the file meanwhile, and held', async () => {
    verifies('E12')
    const { crib, root, read } = await opened()
    const call = { file: 'notes.txt', text: 'x\n' }
    const { runId } = await crib.call('write/sh', call, { effects: 'hold' })
    writeFileSync(join(root, 'notes.txt'), 'mine\n')
    await expect(crib.decide(runId, 'all')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(read('notes.txt')).toBe('mine\n')
    expect(crib.changes(runId).state).toBe('held')
    rmSync(join(root, 'notes.txt'))
    await expect(crib.decide(runId, 'all')).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('show a warm worker what others changed between two of its calls', async () => {
    verifies('E4')
    const { crib, root } = await opened()
    const look = async () => {
      const outcome = await crib.call('write/py', { file: 'seen.txt', op: 'read' })
      return (outcome as { value?: { data?: unknown } }).value?.data
    }
    expect(await look()).toBe(null)
    for (const text of ['one', 'two']) {
      writeFileSync(join(root, 'seen.new'), text)
      // As editors save: by another file of the same name.
      rmSync(join(root, 'seen.txt'), { force: true })
      writeFileSync(join(root, 'seen.txt'), text)
      expect(await look()).toBe(text)
    }
    rmSync(join(root, 'seen.txt'))
    expect(await look()).toBe(null)
  })

  it('of many calls at once are neither lost nor mixed', async () => {
    verifies('E12')
    const { crib, read } = await opened()
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) => crib.call('write/sh', { file: `out/${n}.txt`, text: `${n}` })),
    )
    for (const [n, { effects }] of outcomes.entries()) {
      expect(effects).toMatchObject({ state: 'committed', files: [{ path: `out/${n}.txt` }] })
      expect(read(`out/${n}.txt`)).toBe(`${n}`)
    }
    expect(new Set(outcomes.map(({ effects }) => effects?.changeSet)).size).toBe(200)
  }, 300_000)

  it('of 100,000 files are refused as a whole, and nothing is in place', async () => {
    verifies('E7')
    const { crib, root } = await opened(
      {},
      {
        'crib/.ai/tools/write/many.sh': `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Writes many files
mkdir many && cd many && seq 100000 | xargs -n 5000 touch
printf '{"success": true}\\n'
`,
      },
    )
    const outcome = await crib.call('write/many', {}, { timeoutMs: 200_000 })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'OUTPUT_TOO_LARGE' } })
    expect(existsSync(join(root, 'many'))).toBe(false)
  }, 300_000)

  it('that somebody deleted with their layer cannot be accepted any more, and that is said', async () => {
    verifies('E9')
    const { crib, root, env } = await opened()
    const { runId } = await crib.call('write/sh', { file: 'notes.txt', text: 'x\n' }, { effects: 'hold' })
    rmSync(join(env['XDG_STATE_HOME']!, 'toolcrib', 'layers'), { recursive: true, force: true })
    await expect(crib.decide(runId, 'all')).rejects.toMatchObject({
      message: expect.stringContaining('is gone or damaged'),
    })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('first\n')
  })

  it('to files with odd names are told, put in place and taken back', async () => {
    verifies('E6', 'E14')
    const { crib, root } = await opened(
      {},
      {
        'crib/.ai/tools/write/odd.sh': `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Writes odd names
mkdir odd && cd odd && echo x > $'line\\nbreak' && echo x > $'\\xff\\xfe' && echo x > '-rf'
printf '{"success": true}\\n'
`,
      },
    )
    for (const effects of ['discard', undefined] as const) {
      const outcome = await crib.call('write/odd', {}, { effects })
      expect(outcome).toMatchObject({ ok: true, effects: { added: 3 } })
      if (effects) continue
      expect(readdirSync(join(root, 'odd'), 'buffer').map(String)).toHaveLength(3)
      expect(await crib.undo(outcome.runId)).toMatchObject({ restored: 3 })
      expect(existsSync(join(root, 'odd'))).toBe(false)
    }
  })
})

describe.skipIf(!canLayer)('file changes over HTTP and MCP', () => {
  const files = { 'notes.txt': 'first\n', 'toolcrib.yaml': 'trust: "off"\n', ...effectToolFiles }

  it('are told, shown and taken back over HTTP', async () => {
    verifies('E14', 'E16')
    // Its home is the crib itself: layers are kept elsewhere then.
    const { ask, root, crib } = await servedCrib({ files })
    const body = { params: { file: 'notes.txt', text: 'x\n' } }
    const { body: previewed } = await ask('POST', '/api/tools/write/sh/call', { ...body, preview: true })
    expect(previewed.effects.state).toBe('discarded')
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('first\n')
    const { body: outcome } = await ask('POST', '/api/tools/write/sh/call', body)
    expect(outcome.effects).toMatchObject({ state: 'committed', changed: 1 })
    const { body: changes } = await ask('GET', `/api/runs/${outcome.runId}/changes`)
    expect(changes).toMatchObject({ tool: 'write/sh', diff: expect.stringContaining('+x\n') })
    const { body: undone } = await ask('POST', `/api/runs/${outcome.runId}/undo`, {})
    expect(undone).toMatchObject({ restored: 1, conflicts: [] })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('first\n')
    expect((await ask('POST', `/api/runs/${outcome.runId}/undo`, {})).status).toBe(409)
    expect((await ask('GET', '/api/runs/none-such/changes')).status).toBe(404)
    const both = await ask('POST', '/api/tools/write/sh/call', { ...body, preview: true, hold: true })
    expect(both.status).toBe(400)
    const held = await crib.call('write/sh', body.params, { effects: 'hold' })
    expect((await ask('GET', '/api/held')).body.held).toMatchObject([{ run: held.runId }])
    const accept = await ask('POST', `/api/runs/${held.runId}/decide`, { accept: ['notes.txt'] })
    expect(accept.body).toMatchObject({ state: 'committed' })
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('first\nx\n')
  })

  it('stand in the meta of an MCP result', async () => {
    verifies('E16')
    const { crib } = await opened()
    const outcome = await crib.call('write/sh', { file: 'notes.txt', text: 'x\n' })
    const text = toolResultText(crib, crib.find('write/sh'), outcome)
    const { _meta } = JSON.parse(text)
    expect(_meta['toolcrib/effects']).toEqual(outcome.effects)
    expect(toolResult(crib, crib.find('write/sh'), outcome)._meta).toEqual(_meta)
  })
})
