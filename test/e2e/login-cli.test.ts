// `toolcrib login` and `toolcrib logout` as a user has them: a browser that is started, a person in it, exit codes.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { protectedServer } from '../helpers/login-bench.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { terminal } from '../helpers/terminal.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const helper = fileURLToPath(new URL('../helpers/servers/identity-provider.mjs', import.meta.url))

async function cribWithServer() {
  const { idp, server } = await protectedServer()
  const cwd = tempFolder({
    '.mcp.json': JSON.stringify({ mcpServers: { box: { url: server.url }, local: { command: 'node' } } }),
    // A browser with a person in front of it.
    browser: `#!${process.execPath}\nimport('${helper}').then(({ logInAt }) => logInAt(process.argv[2]))\n`,
  })
  chmodSync(join(cwd, 'browser'), 0o755)
  const env = { BROWSER: join(cwd, 'browser') }
  return {
    idp,
    server,
    run: (...args: string[]) => toolcrib(args, { cwd, env }),
    atTerminal: (...args: string[]) => terminal(args, cwd, env),
  }
}

it('logs in, calls, logs out', async () => {
  verifies('U4', 'U5')
  const { run, idp } = await cribWithServer()
  const before = await run('run', 'box-whoami', '--json')
  expect(before.code).toBe(5)
  expect(before.json).toMatchObject({ ok: false, error: { code: 'AUTH_REQUIRED' } })
  const list = await run('list', '--format', 'mcp')
  expect(list.stderr).toContain('The server "box" wants a log-in. Log in with `toolcrib login box`.')
  const why = await run('why', 'box-whoami', '--json')
  expect(JSON.stringify(why.json.findings)).toContain('toolcrib login box')
  const login = await run('login', 'box', '--json')
  expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining(`${idp.issuer}/auth?`) })
  expect(login.json).toMatchObject({ server: 'box', state: 'logged-in', expiresAt: expect.any(String) })
  expect((await run('list', '--format', 'mcp')).stdout).toContain('box-whoami')
  expect(await run('run', 'box-whoami', '-q')).toMatchObject({ code: 0, stdout: 'ada\n' })
  const logout = await run('logout', 'box', '--json')
  expect(logout.json).toMatchObject({ server: 'box', state: 'logged-out' })
  expect((await run('run', 'box-whoami')).code).toBe(5)
})

it('offers the log-in that a call needs to a person at a terminal, and goes on with the call', async () => {
  verifies('U5')
  const { run, atTerminal } = await cribWithServer()
  const declined = atTerminal('run', 'box-whoami')
  await declined.waitFor('Log in now?')
  declined.press('n')
  expect(await declined.ended).toBe(5)
  expect(declined.screen().join(' ')).toContain('toolcrib login box')
  const shown = atTerminal('run', 'box-whoami')
  await shown.waitFor('Log in now?')
  shown.press('y')
  expect(await shown.ended).toBe(0)
  expect(shown.screen()).toContain('ada')
  // A token that is gone when the tool is known already: the call itself fails, and is made once more.
  expect((await run('logout', 'box')).code).toBe(0)
  const known = atTerminal('run', 'box-whoami')
  await known.waitFor('Log in now?')
  known.press('y')
  expect(await known.ended).toBe(0)
  expect((await run('run', 'box-whoami', '--no-input')).code).toBe(0)
})

it('says which servers cannot be logged in to', async () => {
  verifies('U4')
  const { run } = await cribWithServer()
  const unknown = await run('login', 'bax')
  expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining('Did you mean "box"?') })
  const local = await run('login', 'local')
  expect(local).toMatchObject({ code: 5, stderr: expect.stringContaining('it runs here') })
  expect((await run('login', 'box', '--port', 'x')).code).toBe(2)
})
