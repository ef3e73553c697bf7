// Calls inside calls (E13), whole agent sessions as one change set, and tools that write past every layer (E3).
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openCrib } from '../../../src/crib/open-crib.ts'
import { effectCrib } from '../../helpers/effect-tools.ts'
import { hasWritten, stateOf } from '../../helpers/layer-files.ts'
import { canLayer } from '../../helpers/layered.ts'
import { toolcrib } from '../../helpers/toolcrib.ts'
import { verifies } from '../../helpers/verifies.ts'
import { modelServer } from '../skills/model-server.ts'

async function opened(config: Record<string, unknown> = {}, files: Record<string, string> = {}) {
  const { root, env } = effectCrib(files)
  const crib = await openCrib({ root, env, config, trustFolder: true })
  onTestFinished(() => crib.close())
  return { crib, root, env, read: (file: string) => readFileSync(join(root, file), 'utf8') }
}

const dataOf = (outcome: unknown) => (outcome as { value?: { data?: unknown } }).value?.data

describe.skipIf(!canLayer)('a call inside a call', () => {
  it.each(['write/sh', 'write/py', 'write-skill', 'write-code'])(
    'sees what the outer one wrote, and the outer one sees what it wrote (%s)',
    async (inner) => {
      verifies('E13')
      const { crib, read } = await opened()
      const call = { file: 'notes.txt', text: 'outer\n', inner, last: 'last\n' }
      const outcome = await crib.call('write/outer', call)
      expect(dataOf(outcome)).toBe('first\nouter\ninner\n')
      expect(read('notes.txt')).toBe('first\nouter\ninner\nlast\n')
      expect(outcome.effects).toMatchObject({ state: 'committed', changed: 1, lines: { added: 3 } })
      await crib.undo(outcome.runId)
      expect(read('notes.txt')).toBe('first\n')
    },
  )

  it.each(['discard', 'hold'] as const)('works on the layer of an outer one with %s', async (effects) => {
    verifies('E9', 'E13')
    const { crib, root, read } = await opened()
    const call = { file: 'out/a.txt', text: 'a\n', inner: 'write/sh', innerFile: 'notes.txt', last: 'b\n' }
    const outcome = await crib.call('write/outer', call, { effects })
    expect(dataOf(outcome)).toBe('first\ninner\n')
    expect(outcome.effects).toMatchObject({ added: 1, changed: 1, changeSet: outcome.runId })
    expect([read('notes.txt'), existsSync(join(root, 'out'))]).toEqual(['first\n', false])
    const { diff } = crib.changes(outcome.runId)
    expect(diff).toContain('+inner\n')
    expect(diff).toContain('+a\n+b\n')
    if (effects === 'discard') return
    expect(await crib.decide(outcome.runId, ['notes.txt'])).toMatchObject({ state: 'committed', changed: 1 })
    expect([read('notes.txt'), existsSync(join(root, 'out'))]).toEqual(['first\ninner\n', false])
  })

  it('that was stopped leaves nothing on the layer of the outer one', async () => {
    verifies('E10', 'E13')
    const { crib } = await opened(
      {},
      {
        'crib/.ai/tools/write/slow.sh':
          '#!/bin/bash\n# @version 1.0.0\n# @tool_type script\n# @executor_id rye/core/runtimes/bash/bash\n# @category write\n# @description Hangs\n# @timeout 1\n# @param {string} file - F\n# @param {string} text - T\necho slow >> "$PARAM_FILE"\nsleep 100\n',
        'crib/skills/around.skill.js': `import { appendFileSync } from 'node:fs'
export const frontmatter = { name: 'around', description: 'd', metadata: { params: { type: 'object' } } }
export default async function (ctx) {
  appendFileSync('mine.txt', 'mine')
  const stop = AbortSignal.timeout(700)
  await ctx.manager.invoke('write/slow', { file: 'slow.txt', text: '' }, { signal: stop }).catch(() => {})
  return 'done'
}
`,
      },
    )
    const { effects } = await crib.call('around', {}, { effects: 'discard' })
    expect(effects).toMatchObject({ state: 'discarded', added: 1, files: [{ path: 'mine.txt' }] })
  })

  it('that only reads sees the layer of the outer one', async () => {
    verifies('E13')
    const { crib } = await opened(
      {
        grants: {
          tools: { 'write/outer': ['rye.execute', 'fs.read', 'fs.write'], 'look/look': ['fs.read:**'] },
        },
      },
      {
        'crib/.ai/tools/look/look.sh':
          '#!/bin/bash\n# @version 1.0.0\n# @tool_type script\n# @executor_id rye/core/runtimes/bash/bash\n# @category look\n# @description Looks\n# @requires fs.read\n# @param {string} file - F\n# @param {string} text - T\ncat "$PARAM_FILE" >&2\ngrep -c outer "$PARAM_FILE" > /dev/null\nprintf \'{"success": true}\'\n',
      },
    )
    const call = { file: 'fresh.txt', text: 'outer\n', inner: 'look/look' }
    const outcome = await crib.call('write/outer', call, { effects: 'discard' })
    expect(outcome).toMatchObject({ ok: true, effects: { state: 'discarded', added: 1 } })
  })

  it('that makes a protected file is refused, and the held run goes on without it', async () => {
    verifies('E7', 'E13')
    const { crib, root } = await opened()
    const call = { file: 'a.txt', text: 'a', inner: 'write/sh', innerFile: 'toolcrib.lock' }
    const outcome = await crib.call('write/outer', call, { effects: 'hold' })
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining('toolcrib.lock') } })
    expect(outcome.effects).toMatchObject({ state: 'held', files: [{ path: 'a.txt' }] })
    expect(existsSync(join(root, 'toolcrib.lock'))).toBe(false)
  })
})

describe.skipIf(!canLayer)('a retried call', () => {
  it('keeps what every try put in place under one run', async () => {
    verifies('E10', 'E14')
    const { crib, read } = await opened(
      {},
      {
        'crib/.ai/tools/write/twice.sh': `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category write
# @description Fails once
# @retry { "max_attempts": 2, "delay": 0.01 }
echo try >> notes.txt
[ "$(grep -c try notes.txt)" = 2 ] || kill -KILL $$
printf '{"success": true}\\n'
`,
      },
    )
    const outcome = await crib.call('write/twice', {})
    if (read('notes.txt') === 'first\ntry\ntry\n') expect(outcome.ok).toBe(true)
    await crib.undo(outcome.runId)
    expect(read('notes.txt')).toBe('first\n')
  })
})

describe.skipIf(!canLayer)('an agent session', () => {
  async function session(...flags: string[]) {
    const model = await modelServer([
      { text: 'One.', calls: [{ name: 'write_sh', args: { file: 'notes.txt', text: 'one\n' } }] },
      { text: 'Two.', calls: [{ name: 'write_py', args: { file: 'notes.txt', text: 'two\n' } }] },
      { text: 'Done.' },
    ])
    const crib = effectCrib()
    const settings = { trust: 'off', models: model.models('openai-compatible') }
    writeFileSync(join(crib.root, 'toolcrib.yaml'), JSON.stringify(settings))
    const ran = await toolcrib(['agent', 'Write two lines.', ...flags], { cwd: crib.root, env: crib.env })
    return { ran, crib, read: () => readFileSync(join(crib.root, 'notes.txt'), 'utf8') }
  }

  it('is previewed as one change set', { timeout: 30_000 }, async () => {
    verifies('E9', 'E13')
    const { ran, read, crib } = await session('--preview')
    expect(ran.stdout).toContain('@@ -1 +1,3 @@\n first\n+one\n+two\n')
    expect(ran.stderr).toContain('1 file changed (+2 -0), thrown away')
    expect(read()).toBe('first\n')
    const layers = join(crib.env['XDG_STATE_HOME']!, 'toolcrib', 'layers')
    expect(readdirSync(layers).flatMap((name) => readdirSync(join(layers, name)))).toEqual([])
  })

  it('is held as one change set, accepted and undone', { timeout: 30_000 }, async () => {
    verifies('E9', 'E13')
    const { ran, read, crib } = await session('--hold')
    const [, run] = /toolcrib runs accept (\S+),/.exec(ran.stderr)!
    expect(read()).toBe('first\n')
    await toolcrib(['runs', 'accept', run!], { cwd: crib.root, env: crib.env })
    expect(read()).toBe('first\none\ntwo\n')
    await toolcrib(['undo', run!], { cwd: crib.root, env: crib.env })
    expect(read()).toBe('first\n')
  })

  it('ends with one line, and is undone by its run or as a session', { timeout: 30_000 }, async () => {
    verifies('E14', 'E17')
    const { ran, read, crib } = await session('--json')
    expect(ran.json.effects).toMatchObject({ state: 'committed', changed: 1, lines: { added: 2 } })
    expect(read()).toBe('first\none\ntwo\n')
    const undone = await toolcrib(['undo', '--session', ran.json.runId, '--json'], {
      cwd: crib.root,
      env: crib.env,
    })
    expect(undone.json).toMatchObject({ restored: 1 })
    expect(read()).toBe('first\n')
  })
})

const server = `import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize')
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } } })
  else if (method === 'tools/list')
    send({ id, result: { tools: [{ name: 'change', inputSchema: { type: 'object' } }] } })
  else if (method === 'tools/call') {
    appendFileSync('notes.txt', 'x')
    writeFileSync('sub/new.txt', 'x')
    rmSync('sub/old.txt')
    send({ id, result: { content: [{ type: 'text', text: 'done' }] } })
  }
}).on('close', () => process.exit(0))
`

describe('a foreign server', () => {
  const files = {
    'crib/server.mjs': server,
    'crib/sub/old.txt': 'old',
    'crib/.mcp.json': JSON.stringify({ mcpServers: { box: { command: 'node', args: ['server.mjs'] } } }),
  }

  it('writes directly, and what it changed in the time of the call is told', async () => {
    verifies('E3')
    const { crib } = await opened({}, files)
    await crib.discover()
    const { effects, enforcement, runId } = await crib.call('box-change', {})
    expect(enforcement.dimensions['effects']).toBe('direct')
    expect(effects).toMatchObject({ state: 'direct', added: 1, changed: 1, deleted: 1, changeSet: runId })
    const told = effects!.files.map(({ kind, path }) => `${kind} ${path}`).sort()
    expect(told).toEqual(['changed notes.txt', 'created sub/new.txt', 'deleted sub/old.txt'])
    await expect(crib.undo(runId)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('takes no part in what is previewed or held', async () => {
    verifies('E3', 'E13')
    const { crib, read } = await opened({}, files)
    await crib.discover()
    const outcome = await crib.call('box-change', {}, { effects: 'discard' })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'SANDBOX_UNAVAILABLE' } })
    expect(read('notes.txt')).toBe('first\n')
  })
})

describe.skipIf(!canLayer)('the settings', () => {
  it('tell the changes of a tool set to direct', async () => {
    verifies('E3')
    const { crib } = await opened({ effects: { tools: { 'write/*': 'direct' } } })
    for (const tool of ['write/sh', 'write/py']) {
      const { effects } = await crib.call(tool, { file: 'notes.txt', text: 'x\n' })
      expect(effects).toMatchObject({ state: 'direct', changed: 1, files: [{ path: 'notes.txt' }] })
    }
  })

  it.each(['write/py', 'write/sh'])('keep what a stopped call wrote with onStop: hold (%s)', async (tool) => {
    verifies('E10')
    const { crib, read, env } = await opened(
      { effects: { onStop: 'hold' } },
      {
        'crib/.ai/tools/write/sh.sh':
          '#!/bin/bash\n# @version 1.0.0\n# @tool_type script\n# @executor_id rye/core/runtimes/bash/bash\n# @category write\n# @description Hangs\n# @param {string} file - F\n# @param {string} text - T\nprintf %s "$PARAM_TEXT" >> "$PARAM_FILE"\nsleep 600\n',
      },
    )
    const call = { file: 'notes.txt', text: 'y\n', ...(tool === 'write/py' && { op: 'hang' }) }
    const stop = new AbortController()
    const stopped = crib.call(tool, call, { signal: stop.signal })
    await hasWritten(stateOf({ env }), 'notes.txt', 'y\n')
    stop.abort()
    const late = await stopped
    expect(late).toMatchObject({ ok: false, error: { code: 'CANCELLED' }, effects: { state: 'held' } })
    expect(read('notes.txt')).toBe('first\n')
    expect(crib.changes(late.runId).diff).toContain('+y\n')
    await crib.decide(late.runId, 'all')
    expect(read('notes.txt')).toBe('first\ny\n')
  })

  it('write over what somebody else changed with onConflict: overwrite', async () => {
    verifies('E12')
    const { crib, root, read } = await opened({ effects: { onConflict: 'overwrite' } })
    const { runId } = await crib.call('write/sh', { file: 'notes.txt', text: 'x\n' }, { effects: 'hold' })
    writeFileSync(join(root, 'notes.txt'), 'mine\n')
    await crib.decide(runId, 'all')
    expect(read('notes.txt')).toBe('first\nx\n')
  })
})

describe.skipIf(!canLayer)('what a tool writes to its own /tmp and home', () => {
  it('is no effect and is gone', async () => {
    verifies('E5')
    const { crib, env } = await opened(
      {},
      {
        'crib/.ai/tools/write/own.sh':
          '#!/bin/bash\n# @version 1.0.0\n# @tool_type script\n# @executor_id rye/core/runtimes/bash/bash\n# @category write\n# @description Writes to places of its own\nset -e\necho x > /tmp/effects-own-file\necho x > "$HOME/effects-own-file"\nprintf \'{"success": true}\\n\'\n',
      },
    )
    const outcome = await crib.call('write/own', {})
    expect(outcome).toMatchObject({ ok: true, effects: { state: 'none' } })
    expect(existsSync('/tmp/effects-own-file')).toBe(false)
    expect(existsSync(join(env['HOME']!, 'effects-own-file'))).toBe(false)
  })
})
