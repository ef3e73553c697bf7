import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { startHint } from './start-hint.ts'

const server = (file: string, ...args: string[]) => ({
  kind: 'stdio' as const,
  name: 'box',
  spawn: { file, args, cwd: '/crib', env: {} },
  read: [],
  concurrency: 1,
})
const offline = { network: { mode: 'none' } } as Profile
const online = { network: { mode: 'public', hosts: [] } } as never as Profile

describe('the hint of a failed start follows from what the server said', () => {
  it.each([
    [server('/usr/bin/npx', '-y', 'pkg'), offline, 'whatever', '"box-*": [net.http]'],
    [
      server('/usr/bin/node', 'a.js'),
      offline,
      "Error: Cannot find module '/etc/hostname'",
      'fs.read:/etc/hostname',
    ],
    [server('/usr/bin/node', 'a.js'), online, "EACCES: permission denied, open '/etc'", 'fs.read:/etc'],
    [server('/usr/bin/node', 'a.js'), online, "ENOENT: open '/nowhere/x'", 'There is no /nowhere/x'],
    [server('/usr/bin/node', 'a.js'), offline, 'getaddrinfo EAI_AGAIN api.example.com', '[net.http]'],
    [server('/usr/bin/node', 'a.js'), online, 'connect ECONNREFUSED 10.0.0.1:5432', 'toolcrib show mcp/box'],
    [server('/usr/bin/node', 'a.js'), online, 'bye', 'Try its command by hand: /usr/bin/node a.js'],
  ])('%#', (target, profile, said, hint) => {
    verifies('U3d')
    expect(startHint(target, profile, said)).toContain(hint)
  })
})
