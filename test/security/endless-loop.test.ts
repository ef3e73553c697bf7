// A code skill that never lets go of the process it runs in: the server says so and ends, so that it can be started again.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { proves } from '../helpers/proves.ts'
import { serveProcess } from '../helpers/serve-process.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'

function cribWith(body: string, before = ''): string {
  const root = tempFolder()
  mkdirSync(join(root, 'skills'))
  writeFileSync(join(root, 'toolcrib.yaml'), 'limits: { timeoutMs: 2000 }\n')
  writeFileSync(
    join(root, 'skills/stuck.skill.js'),
    `${before}\nexport const frontmatter = { name: 'stuck', description: 'Gets stuck', metadata: { params: { type: 'object' } } }\nexport default async function () { ${body} }\n`,
  )
  return root
}

describe('an endless loop in a code skill', { timeout: 120_000 }, () => {
  it.each([
    ['at once', 'for (;;);', ''],
    ['after it waited', 'await new Promise((resolve) => setTimeout(resolve, 1200)); for (;;);', ''],
    ['that catches everything', 'for (;;) try { for (;;); } catch {}', ''],
    ['in its import', 'return 1', 'for (;;);'],
    ['in a pattern', 'return /^(a+)+$/.test(`${"a".repeat(60)}b`)', ''],
  ])('ends the server with exit code 6 and names the tool: %s', async (_, body, before) => {
    proves('in-process-loop')
    const root = cribWith(body, before)
    const server = await serveProcess(root)
    await expect(server.ask('POST', '/api/tools/stuck/call', { params: {} })).rejects.toThrow()
    expect(await server.ended).toBe(6)
    expect(server.stderr()).toContain(`TIMEOUT: stuck (${join(root, 'skills/stuck.skill.js')})`)
    expect(server.stderr()).toContain('exit code 6')
  })

  it('ends `toolcrib mcp` too', async () => {
    const child = spawn(process.execPath, [cli, 'mcp'], { cwd: cribWith('for (;;);'), stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const gone = new Promise((resolve) => child.once('close', resolve))
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'test', version: '1' }
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    say({ id: 1, method: 'initialize', params: hello })
    say({ method: 'notifications/initialized' })
    say({ id: 2, method: 'tools/call', params: { name: 'stuck', arguments: {} } })
    expect(await gone).toBe(6)
  })

  it('ends `toolcrib run` too', async () => {
    const ran = await toolcrib(['run', 'stuck'], { cwd: cribWith('for (;;);') })
    expect(ran.code).toBe(6)
    expect(ran.stderr).toContain('TIMEOUT: stuck')
  })

  it('is told from long work that ends in time and from a process that was stopped for a while', async () => {
    const body = 'const end = Date.now() + 1500; while (Date.now() < end); return "done"'
    const server = await serveProcess(cribWith(body))
    const call = () => server.ask('POST', '/api/tools/stuck/call', { params: {} })
    expect((await call()).body).toMatchObject({ ok: true, value: 'done' })
    const waiting = call()
    server.signal('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    server.signal('SIGCONT')
    await waiting
    expect((await server.ask('GET', '/healthz')).status).toBe(200)
  })
})
