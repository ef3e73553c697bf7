// What foreign servers offer to be read, as a person at the command line meets it.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const server = fileURLToPath(new URL('../../src/runtimes/mcp/fixtures/reading-server.mjs', import.meta.url))

it('lists, shows, runs and reads prompts and resources', { timeout: 120_000 }, async () => {
  verifies('U1')
  const servers = { lib: { command: 'node', args: ['reading-server.mjs'] } }
  const cwd = tempFolder({ '.mcp.json': JSON.stringify({ mcpServers: servers }) })
  copyFileSync(server, join(cwd, 'reading-server.mjs'))
  const run = (...args: string[]) => toolcrib([...args, '--trust-folder'], { cwd })
  const prompts = await run('list', '--kind', 'prompt', '--json')
  expect(prompts.json.tools.map(({ id }: { id: string }) => id)).toEqual([
    'lib-greet',
    'lib-plain',
    'lib-prompt-guide',
  ])
  expect((await run('list', '--kind', 'resource')).stdout).toMatch(
    /^docs:\/\/logo .*\n.*docs:\/\/page\/\{n\} .*\ndocs:\/\/guide /,
  )
  expect((await run('read', 'docs://guide')).stdout).toBe('héllo')
  expect((await run('read', 'docs://page/9')).stdout).toBe('page 9')
  expect((await run('read', 'docs://logo', '--json')).json).toMatchObject({
    contents: [{ blob: 'iVBORw==', mimeType: 'image/png' }],
  })
  expect((await run('show', 'docs://guide', '--json')).json.tool).toMatchObject({ kind: 'resource' })
  expect((await run('run', 'lib-greet', '--who', 'Ada', '--json')).json).toMatchObject({
    ok: true,
    value: { messages: [{ content: { text: 'Hello Ada' } }] },
  })
  const missing = await run('read', 'docs://gude')
  expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining('Did you mean docs://guide?') })
  expect(await run('read', 'lib-plain')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('no resource'),
  })
})
