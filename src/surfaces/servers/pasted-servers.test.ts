import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { nameOfAddress, pastedServers } from './pasted-servers.ts'

it.each([
  ['https://mcp.example.com/mcp', [['example', { type: 'http', url: 'https://mcp.example.com/mcp' }]]],
  [
    'npx -y @modelcontextprotocol/server-filesystem@1.2.3 "my notes"',
    [
      [
        'filesystem',
        { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@1.2.3', 'my notes'] },
      ],
    ],
  ],
  ['node ./tools/box.mjs', [['box', { command: 'node', args: ['./tools/box.mjs'] }]]],
  [
    '{ "mcpServers": { "a": { "command": "x" }, // one\n "b": { "url": "https://b.test/mcp" }, } }',
    [
      ['a', { command: 'x', args: [] }],
      ['b', { type: 'http', url: 'https://b.test/mcp' }],
    ],
  ],
  ['{ "servers": { "a": { "command": "x" } } }', [['a', { command: 'x', args: [] }]]],
  ['"a": { "command": "x" }', [['a', { command: 'x', args: [] }]]],
  [
    '{ "command": "uvx", "args": ["mcp-server-time"] }',
    [['time', { command: 'uvx', args: ['mcp-server-time'] }]],
  ],
])('reads %s', (text, expected) => {
  verifies('V16')
  expect(pastedServers(text).map(({ name, entry }) => [name, entry])).toEqual(expected)
})

it('makes secrets of what a client would ask a person for', () => {
  verifies('V16')
  const block = { mcpServers: { a: { command: 'x', env: { K: '${input:api-key}' } } } }
  const [server] = pastedServers(JSON.stringify(block))
  expect(server).toMatchObject({ secrets: ['API_KEY'], entry: { env: { K: '${secret:API_KEY}' } } })
})

it.each([
  '   ',
  '{',
  '{ "mcpServers": { } }',
  '{ "mcpServers": { "../x": { "command": "x" } } }',
  '{ "mcpServers": { "a": { "command": "x", "args": [1] } } }',
  'https://',
  'one\ntwo',
  'npx toolcrib mcp',
])('refuses %j with what to paste', (text) => {
  verifies('V16')
  expect(() => pastedServers(text)).toThrow(expect.objectContaining({ code: 'PARAMS_INVALID' }))
})

it('never fails otherwise, whatever is pasted', () => {
  verifies('V16')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((text) => `{"mcpServers":${text}}`),
      ),
      (text) => {
        try {
          for (const { name, entry } of pastedServers(text)) {
            expect(name).toMatch(/^[A-Za-z0-9]/)
            expect(entry['command'] ?? entry['url']).toBeTypeOf('string')
          }
        } catch (error) {
          if (!isToolError(error)) throw error
        }
      },
    ),
  )
})

it.each([
  ['https://api.example.com/openapi.json', 'example'],
  ['http://127.0.0.1:4747/openapi.json', 'local'],
  ['http://[::1]:4747/mcp', 'local'],
  ['http://10.0.0.5/mcp', 'host-10-0-0-5'],
])('names what is at %s "%s"', (address, name) => {
  verifies('D12')
  expect(nameOfAddress(address)).toBe(name)
})
