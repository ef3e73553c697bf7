import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { type Config, defaultConfig } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import { formats } from '../formats/registry.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { ProtectedSet } from '../trust/protected-set.ts'
import { makeProfile } from './make-profile.ts'
import { scopeFault } from './scope-path.ts'

const spaces: Spaces = {
  project: '/crib',
  userAi: '/home/u/.ai',
  system: '/opt/toolcrib/system',
  state: '/crib/.toolcrib',
  home: '/home/u',
  userConfig: '/home/u/.config/toolcrib',
  userState: '/home/u/.local/state/toolcrib',
}

function tool(given: Partial<Tool> = {}): Tool {
  return makeTool({
    id: 'notes/add',
    format: 'rye',
    tier: 'project',
    source: { file: '/crib/.ai/tools/notes/add.py', digest: '0' },
    requires: null,
    ...given,
  })
}

const setFor = (own: Spaces, config: Config = defaultConfig) =>
  new ProtectedSet({ config, spaces: own, tools: [tool()], formats })
const profile = (grants: string[], given: Partial<Tool> = {}, config: Config = defaultConfig) =>
  makeProfile(tool(given), grants, { config, spaces, protectedSet: setFor(spaces, config) })

describe('areas', () => {
  it('gives a tool that states no needs all that is granted', () => {
    verifies('R68')
    const made = profile(['fs.read', 'fs.write', 'net.http', 'shell.execute'])
    expect(made).toMatchObject({
      read: ['/crib'],
      write: ['/crib'],
      network: { mode: 'public', hosts: [] },
      subprocess: true,
    })
  })

  it('gives a tool that states its needs exactly those', () => {
    verifies('R68')
    const made = profile(['fs.read', 'fs.write', 'net.http', 'shell.execute'], { requires: ['fs.read'] })
    expect(made).toMatchObject({
      read: ['/crib'],
      write: [],
      network: { mode: 'none' },
      subprocess: false,
    })
  })

  it.each([
    [['fs.read:docs/**'], ['/crib/docs'], []],
    [['fs.read:docs'], ['/crib/docs'], []],
    [['fs.read:docs/'], ['/crib/docs'], []],
    [['fs.read:notes.md'], ['/crib/notes.md'], []],
    [['fs.read:**'], ['/crib'], []],
    [['fs.write:out/**'], ['/crib/out'], ['/crib/out']],
    [['fs.read:docs/**', 'fs.write:out/**'], ['/crib/docs', '/crib/out'], ['/crib/out']],
    [['fs.read', 'fs.write:out/**'], ['/crib'], ['/crib/out']],
    [['fs.read:a/**', 'fs.read:a/b/**'], ['/crib/a'], []],
    [['fs.*'], ['/crib'], ['/crib']],
    [['fs.*:lib/**'], ['/crib/lib'], ['/crib/lib']],
    [['net.http'], [], []],
    [[], [], []],
  ])('%j opens %j for reading and %j for writing', (grants, read, write) => {
    expect(profile(grants)).toMatchObject({ read, write })
  })

  it.each([
    'fs.read:../other',
    'fs.read:docs/../../etc',
    'fs.write:/etc',
    'fs.read:~/.ssh',
    'fs.read:',
    'fs.read:docs/*.md',
    'fs.read:**/secret',
    'fs.read:C:\\x',
    'fs.read:a\0b',
    'fs.read:/',
    'fs.read:/**',
    'fs.read:~',
    'fs.read:~/**',
    'fs.read:~other/docs',
    `fs.read:${dirname(homedir())}`,
    'fs.read:/proc/1',
    'fs.read:~/.aws/credentials',
    'fs.write:~/keys/server.pem',
    'fs.read:~/docs/../.ssh',
  ])('refuses the scope of %s', (grant) => {
    expect(() => profile([grant])).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })

  it('opens places outside of the crib to be read, and to servers to be written', () => {
    verifies('U3d')
    const docs = join(homedir(), 'Documents')
    const grants = ['fs.read', 'fs.read:~/Documents/**', 'fs.write:/srv/out/**']
    expect(profile(grants)).toMatchObject({ read: ['/crib', docs, '/srv/out'], write: [] })
    const server = {
      runtime: { name: 'mcp', plan: { server: { name: 's', transport: 'stdio' }, tool: 'x' } },
    }
    const made = profile(grants, server as Partial<Tool>)
    expect(made).toMatchObject({ read: ['/crib', docs, '/srv/out'], write: ['/srv/out'] })
    expect(made.readOnly).toEqual(expect.arrayContaining(['/srv/out/.git/hooks', '/srv/out/.vscode']))
    expect(profile(['fs.read:~/.config/**']).hidden).toContain(join(homedir(), '.config/gcloud'))
  })

  it('never opens more than the scope, whatever the scope says', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '**', '*', '~', 'docs', 'a b', '.toolcrib', '\\..', '{a,b}', '/'),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.boolean(), (parts, writes) => {
        const scope = parts.join('/')
        const grants = [`${writes ? 'fs.write' : 'fs.read'}:${scope}`]
        if (scopeFault(scope) !== undefined) {
          expect(() => profile(grants)).toThrow()
          return
        }
        const made = profile(grants)
        const isOutside = scope.startsWith('/') || scope === '~' || scope.startsWith('~/')
        const literal = scope
          .replace(/\*\*$/, '')
          .split('/')
          .filter((name) => name !== '' && name !== '.')
        if (isOutside) {
          const [first = '', ...rest] = literal
          const path = scope.startsWith('~') ? join(homedir(), ...rest) : join('/', first, ...rest)
          expect(made).toMatchObject({ read: [path], write: [] })
          return
        }
        // No grant opens the state of the crib.
        if (writes && made.write.length === 0) {
          expect(literal[0]).toBe('.toolcrib')
          return
        }
        expect(made.read).toHaveLength(1)
        const opened = made.read[0]!
        expect(opened === '/crib' || opened.startsWith('/crib/')).toBe(true)
        expect(opened.split('/')).not.toContain('..')
        expect(opened).toBe(['/crib', ...literal].join('/'))
        expect(made.write).toEqual(writes ? [opened] : [])
      }),
    )
  })

  it('keeps what would raise rights out of reach under every grant', () => {
    const made = profile(['*'])
    expect(made.hidden).toEqual([
      '/crib/.toolcrib',
      '/home/u/.config/toolcrib',
      '/home/u/.local/state/toolcrib',
      '/home/u/.ai/config/keys/signing',
    ])
    expect(made.readOnly).toEqual(
      expect.arrayContaining(['/crib/toolcrib.yaml', '/crib/toolcrib.lock', '/crib/.ai/config/keys']),
    )
  })
})

describe('the program itself', () => {
  const readOnlyOf = (system: string) =>
    makeProfile(tool(), ['*'], {
      config: defaultConfig,
      spaces: { ...spaces, system },
      protectedSet: setFor({ ...spaces, system }),
    }).readOnly

  it('is read-only where it is installed in the project', () => {
    expect(readOnlyOf('/crib/node_modules/toolcrib/system')).toContain('/crib/node_modules')
    expect(readOnlyOf('/crib/system')).toContain('/crib/dist')
  })

  it('is of no concern elsewhere', () => {
    expect(readOnlyOf('/opt/toolcrib/system').filter((path) => !path.startsWith('/crib/'))).toEqual([])
  })
})

describe('network', () => {
  it.each([
    [['fs.read'], { mode: 'none' }],
    [['net.http'], { mode: 'public', hosts: [] }],
    [['net.call'], { mode: 'public', hosts: [] }],
    [['net.*'], { mode: 'public', hosts: [] }],
    [['net.http:api.example.com'], { mode: 'hosts', hosts: ['api.example.com'] }],
    [['net.http:127.0.0.1:8080', 'net.call:127.0.0.1:8080'], { mode: 'hosts', hosts: ['127.0.0.1:8080'] }],
    [['net.http', 'net.http:localhost:11434'], { mode: 'public', hosts: ['localhost:11434'] }],
  ])('%j gives %j', (grants, network) => {
    expect(profile(grants).network).toEqual(network)
  })

  it('needs the tool to ask when it states its needs', () => {
    expect(profile(['net.http'], { requires: ['fs.read'] }).network).toEqual({ mode: 'none' })
  })
})

describe('limits', () => {
  it('lets a tool ask for less and never for more', () => {
    const asked = profile(['fs.read'], { limits: { memoryMb: 64, processes: 100_000, cpuPercent: 50 } })
    expect(asked).toMatchObject({
      memoryMb: 64,
      processes: defaultConfig.limits.processes,
      cpuPercent: 50,
      outputBytes: defaultConfig.limits.outputBytes,
    })
  })
})
