// What `serve` and `mcp` say to a person at a terminal of 80 columns (D2, D19).
import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { textWidth } from '../../src/surfaces/cli/text-width.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { terminal } from '../helpers/terminal.ts'
import { cli } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

it('serve is ready in a block of short lines: console, MCP address, how to connect', async () => {
  verifies('D2')
  const shown = terminal(['serve', '--port', '0', '-C', 'crib'], tempFolder({ 'crib/toolcrib.yaml': '' }))
  await shown.waitFor('Ctrl-C ends it.')
  const lines = shown.screen()
  const first = lines.findIndex((line) => line.startsWith('Toolcrib is ready'))
  expect(lines.slice(first, first + 5)).toEqual([
    expect.stringMatching(/^Toolcrib is ready with \d+ tools\.$/),
    expect.stringMatching(/^Console {2}http:\/\/127\.0\.0\.1:\d+\/#token=tc_[\w-]{32}$/),
    expect.stringMatching(/^MCP {6}http:\/\/127\.0\.0\.1:\d+\/mcp$/),
    expect.stringMatching(/^Connect {2}(npx )?toolcrib connect <client> -C crib$/),
    'Ctrl-C ends it.',
  ])
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80)
  shown.press('\u0003')
  await shown.ended
}, 60_000)

it('mcp says on a terminal that it waits, and how to connect a client; to a client it says nothing of it', async () => {
  verifies('D19')
  const cwd = tempFolder()
  const shown = terminal(['mcp'], cwd)
  await shown.waitFor('toolcrib connect <client>')
  expect(shown.screen()[0]).toBe('Waiting for an MCP client on standard input; Ctrl-C ends it.')
  shown.press('\u0003')
  await shown.ended
  const client = spawn(process.execPath, [cli, 'mcp'], { cwd, env: { PATH: process.env['PATH'], HOME: cwd } })
  let said = ''
  client.stderr.on('data', (chunk) => (said += chunk))
  client.stdin.end()
  await new Promise((resolve) => client.on('close', resolve))
  expect(said).toBe('')
}, 60_000)

it('serve -v prints one line for each call, serve alone none', async () => {
  verifies('D19')
  const lines = await callServed(['-v'])
  const [line, ...more] = lines.filter((each) => each.includes('rye/file-system/list'))
  expect(line).toMatch(/^\d\d:\d\d:\d\d rye\/file-system\/list ok \d+ ms, http \S+, run \S+$/)
  expect(more).toEqual([])
  expect((await callServed([])).filter((each) => each.includes('rye/file-system/list'))).toEqual([])
}, 60_000)

/** What `serve` wrote to standard error when one tool was called over HTTP and it was told to end. */
async function callServed(flags: readonly string[]): Promise<string[]> {
  const cwd = tempFolder({ 'toolcrib.yaml': '' })
  const env = { PATH: process.env['PATH'], HOME: cwd, TOOLCRIB_PORT: '0' }
  const child = spawn(process.execPath, [cli, 'serve', ...flags], { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const [, url, token] = await new Promise<RegExpExecArray>((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const ready = /Console {2}(\S+)\/#token=(\S+)\n/.exec(text)
      if (ready) resolve(ready)
    })
  })
  const answer = await fetch(`${url}/api/tools/rye/file-system/list/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"params":{"path":"."}}',
  })
  expect(await answer.json()).toMatchObject({ ok: true })
  const ended = new Promise((resolve) => child.on('close', resolve))
  child.kill('SIGTERM')
  await ended
  return said.split('\n')
}
