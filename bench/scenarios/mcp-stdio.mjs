import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inFlight, stdioServer } from '../mcp-clients.mjs'
import { installedPeer } from '../peers/installed-peer.mjs'
import { built } from '../the-build.mjs'

const calls = 2_000
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const skill = `export const frontmatter = {
  name: 'add', description: 'Adds',
  metadata: { params: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } },
}
export default (ctx, { a, b }) => ({ sum: a + b })
`

export const scenario = {
  about: 'MCP tools/call of an in-process tool over stdio, one after the other and 32 in flight',
  unit: 'µs',
  run: { rounds: 9, warmUp: 2 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    mkdirSync(join(root, 'skills'))
    writeFileSync(join(root, 'skills', 'add.skill.js'), skill)
    const env = { PATH: process.env.PATH, HOME: root }
    const fastmcp = installedPeer('fastmcp', 'fastmcp-stdio.mjs')
    const servers = {
      'SDK v1': await stdioServer([here('../servers/sdk-v1-stdio.mjs')]),
      ours: await stdioServer([here('../servers/toolcrib-stdio.mjs')]),
      'ours, a skill file': await stdioServer([built('cli.js'), 'mcp', '-C', root, '-q'], { env }),
    }
    if (fastmcp) servers.fastmcp = await stdioServer([fastmcp])
    const sides = {}
    for (const width of [1, 32])
      for (const [name, server] of Object.entries(servers))
        sides[width === 1 ? name : `${name}, ${width} in flight`] = {
          operations: calls,
          work: () => inFlight(calls, width, (n) => server.call('add', { a: n, b: 1 })),
        }
    return {
      reference: 'SDK v1',
      sides,
      async teardown() {
        await Promise.all(Object.values(servers).map((server) => server.close()))
        rmSync(root, { recursive: true })
      },
    }
  },
}
