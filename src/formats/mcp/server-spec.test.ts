// Entries of servers as the READMEs and configuration files of clients write them.
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { ignoredKeys, readServerSpec } from './server-spec.ts'
import { splitCommand } from './split-command.ts'

describe('readServerSpec', () => {
  it.each([
    [{ url: 'https://a.example/mcp' }, { transport: 'http', url: 'https://a.example/mcp' }],
    [{ serverUrl: 'https://a.example/mcp' }, { transport: 'http', url: 'https://a.example/mcp' }],
    [{ httpUrl: 'https://a.example/mcp' }, { transport: 'http', url: 'https://a.example/mcp' }],
    [
      { type: 'sse', url: 'https://a.example/sse' },
      { transport: 'http', isSse: true },
    ],
    [
      { transport: 'sse', url: 'https://a.example/sse' },
      { transport: 'http', isSse: true },
    ],
    [{ type: 'streamable-http', url: 'https://a.example' }, { transport: 'http' }],
    [{ type: 'http', url: '${HOST}/mcp' }, { transport: 'http' }],
    [
      { type: 'stdio', command: 'node', args: ['a.js'] },
      { command: 'node', args: ['a.js'] },
    ],
    [
      { command: 'npx -y "@scope/pkg" --dir \'a b\'' },
      { command: 'npx', args: ['-y', '@scope/pkg', '--dir', 'a b'] },
    ],
    [{ command: '/opt/My Tools/server' }, { command: '/opt/My Tools/server' }],
    [{ command: 'uvx', envFile: '${workspaceFolder}/.env' }, { envFile: '${workspaceFolder}/.env' }],
    [{ command: 'x', timeout: 5000 }, { timeoutMs: 5000 }],
  ])('reads %o', (entry, expected) => {
    verifies('U3e')
    expect(readServerSpec('s', entry, false)).toMatchObject(expected)
  })

  it.each([
    [{ type: 'carrier-pigeon', command: 'x' }, 'type'],
    [{ serverUrl: 'ftp://x' }, 'serverUrl'],
    [{ command: 'x', envFile: 3 }, 'envFile'],
    [{ command: '  ' }, undefined],
    [{ command: 'x', sandbox: 'loose' }, 'sandbox'],
    [{ command: 'x', limits: { memoryMb: 0 } }, 'limits'],
    [{ command: 'x', limits: { disk: 5 } }, 'limits'],
  ])('says what is wrong with %o', (entry, key) => {
    expect(readServerSpec('s', entry, false)).toMatchObject({
      message: expect.stringContaining('"s"'),
      ...(key ? { key } : {}),
    })
  })

  it('names what has no effect here, and what is only for people is none of it', () => {
    verifies('U3e')
    expect(
      ignoredKeys({ command: 'x', autoApprove: ['a'], alwaysAllow: [], description: 'd', disabled: false }),
    ).toEqual(['autoApprove', 'alwaysAllow'])
    expect(ignoredKeys({ url: 'https://x', env: { A: 'b' }, cwd: '', sandbox: 'off', headers: {} })).toEqual([
      'env',
      'sandbox',
    ])
    expect(ignoredKeys({ command: 'x', env: { A: 'b' }, headers: { B: 'c' } })).toEqual(['headers'])
  })
})

describe('splitCommand', () => {
  it.each([
    ['a  b', ['a', 'b']],
    ['a "b c" d\\ e', ['a', 'b c', 'd e']],
    ['a ""', ['a', '']],
    ['a "x\\"y"', ['a', 'x"y']],
    ['', []],
  ])('splits %s', (text, words) => {
    expect(splitCommand(text)).toEqual(words)
  })
})
