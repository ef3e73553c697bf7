// The figures of the README about `--expose search`, measured again: bytes of the answer to tools/list.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { readPage, repository } from './pages.ts'

async function listed(root: string, expose: string): Promise<{ tools: number; bytes: number }> {
  const client = new Client({ name: 'figures', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '-C', root, '--expose', expose],
    env: { HOME: root, PATH: process.env['PATH'] ?? '', TOOLCRIB_TRUST_FOLDER: '1' },
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  return { tools: tools.length, bytes: Buffer.byteLength(JSON.stringify(tools)) }
}

it('what --expose search saves in the crib of the examples is what the README says', async () => {
  verifies('D21')
  const root = tempFolder()
  cpSync(join(repository, 'examples'), root, {
    recursive: true,
    filter: (path) => !path.includes('/.toolcrib'),
  })
  const all = await listed(root, 'all')
  const search = await listed(root, 'search')
  console.log('measured', { all, search })
  const row = /\| `examples\/` \| (\d+) \| ([\d,]+) bytes \| ([\d,]+) bytes/.exec(readPage('README.md'))
  const [, tools, bytes, searchBytes] = (row ?? []).map((text) => Number(text.replaceAll(',', '')))
  expect(search.tools).toBeLessThanOrEqual(5)
  // Parts of a machine add or take a tool away: within a tenth.
  expect(all.tools / tools!).toBeCloseTo(1, 1)
  expect(all.bytes / bytes!).toBeCloseTo(1, 1)
  expect(search.bytes / searchBytes!).toBeCloseTo(1, 1)
}, 60_000)

it('the README has its parts in their order', () => {
  verifies('D21')
  const headings = [...readPage('README.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual([
    'Four doors',
    'A server that changes is stopped',
    'What a tool wrote can be taken back',
    'Many tools, few tokens',
    'Beside other gateways',
    'What is fenced on which system',
    'A tour of the formats',
    'Use it from a program',
    'Where to go next',
  ])
})
