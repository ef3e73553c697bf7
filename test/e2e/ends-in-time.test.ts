// A server ends within 5 s, whatever still holds it.
import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

/** A server that answers nothing and does not listen to TERM. */
const deaf = JSON.stringify({
  mcpServers: { deaf: { command: 'sh', args: ['-c', 'trap "" TERM; sleep 60'] } },
})

function start(command: 'serve' | 'mcp', args: readonly string[]) {
  const cwd = tempFolder({ '.mcp.json': deaf })
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TOOLCRIB_TRUST_FOLDER: '1' }
  const child = spawn(process.execPath, [cli, command, ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<{ code: number | null; at: number }>((resolve) =>
    child.once('close', (code) => resolve({ code, at: performance.now() })),
  )
  return { child, ended }
}

it('serve ends in time after SIGTERM', async () => {
  verifies('G5')
  const { child, ended } = start('serve', ['--port', '0', '--json'])
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const asked = performance.now()
  child.kill('SIGTERM')
  const { code, at } = await ended
  expect(code).toBe(0)
  expect(at - asked).toBeLessThan(5_500)
})

it('mcp ends in time after the end of standard input', async () => {
  verifies('G5')
  const { child, ended } = start('mcp', [])
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  child.stdin.write(`${JSON.stringify(hello)}\n`)
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const asked = performance.now()
  child.stdin.end()
  const { code, at } = await ended
  expect(code).toBe(0)
  expect(at - asked).toBeLessThan(5_500)
})
