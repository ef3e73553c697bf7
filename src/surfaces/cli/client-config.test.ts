import { parse as parseToml } from 'smol-toml'
import { expect, it } from 'vitest'
import { httpConfig, stdioConfig } from './client-config.ts'

const url = 'http://127.0.0.1:4747/mcp'
const names = ['gemini-cli', 'cline', 'cursor', 'windsurf', 'vscode', 'zed', 'codex']
const read = (name: string, block: string) => (name === 'codex' ? parseToml(block) : JSON.parse(block))
/** The entry of the server, whatever the client calls the map around it. */
const entryOf = (name: string, block: string) =>
  (Object.values(read(name, block))[0] as { toolcrib: Record<string, unknown> }).toolcrib

it.each([...names, 'claude'])('gives %s a block that starts the server of the crib', (name) => {
  expect(entryOf(name, stdioConfig(name, '/my crib', '/toolcrib/dist/cli.js').block)).toMatchObject({
    command: 'node',
    args: ['/toolcrib/dist/cli.js', 'mcp', '-C', '/my crib'],
  })
})

it.each(names)('gives %s a block with the address and a place for the token', (name) => {
  const entry = entryOf(name, httpConfig(name, url, '/crib/.toolcrib/token').block)
  expect(Object.values(entry)).toContain(url)
  expect(entry['headers'] ?? entry['http_headers']).toEqual({ Authorization: 'Bearer <token>' })
})

it('gives claude-code commands that a shell takes apart rightly', () => {
  const program = '/home/ada/.npm/_npx/1234/node_modules/toolcrib/dist/cli.js'
  expect(stdioConfig('claude-code', '/my crib', program).block).toBe(
    "claude mcp add toolcrib -- npx -y toolcrib mcp -C '/my crib'",
  )
  expect(httpConfig('claude-code', url, 'token').block).toBe(
    `claude mcp add --transport http toolcrib ${url} --header 'Authorization: Bearer <token>'`,
  )
})

it('says which clients take no address, and guesses at a misspelt name', () => {
  expect(() => httpConfig('claude', url, 'token')).toThrow('takes no address')
  expect(() => stdioConfig('cursr', '/', 'cli.js')).toThrow('There is no client "cursr"')
})
