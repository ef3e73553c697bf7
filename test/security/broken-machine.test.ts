// A machine that lacks a layer, has a broken one, a full disk or a damaged database: the crib says so, refuses what
// it must, and keeps what it has.
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { findOnPath } from '../../src/config/find-on-path.ts'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { hasFence, realPython } from '../helpers/fenced.ts'
import { proves } from '../helpers/proves.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, type Ran, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'
import { pythonTool } from './crib-of.ts'

const python = realPython()
const files = { '.ai/tools/hello.py': pythonTool('return {"success": True, "data": "hello"}') }

/** A PATH with everything but bubblewrap; with `script`, that stands in its place. */
function pathWith(root: string, script?: string): string {
  const bin = join(root, 'bin')
  mkdirSync(bin)
  for (const program of ['node', 'sh', 'perl', 'prlimit', 'git', 'env']) {
    const found = program === 'node' ? process.execPath : findOnPath(program)
    if (found) symlinkSync(found, join(bin, program))
  }
  symlinkSync(python!, join(bin, 'python3'))
  if (script !== undefined) {
    writeFileSync(join(bin, 'bwrap'), script)
    chmodSync(join(bin, 'bwrap'), 0o755)
  }
  return bin
}

const canUnwrite = process.getuid?.() === 0 && hasFence && python !== undefined
if (!canUnwrite)
  console.info('skipped: a control group that cannot be written (needs root, bwrap and python3)')

describe.skipIf(!canUnwrite)('with control groups that cannot be written', () => {
  const somebody = 65_534
  const groups = '/sys/fs/cgroup'

  it.each([
    ['for an ordinary user', { uid: somebody }],
    [
      'because they are mounted read-only',
      { through: ['bwrap', '--dev-bind', '/', '/', '--ro-bind', groups, groups] },
    ],
  ])(
    '%s: doctor says so, memory is held by the next layer and labelled, required refuses',
    async (_, as) => {
      proves('label-honest', 'sandbox-required', 'doctor-fix', 'limit-memory')
      const cwd = tempFolder({
        '.ai/tools/hog.py': pythonTool(
          'return {"success": True, "n": len(bytearray(params["mb"] * 1_000_000))}',
        ),
        'toolcrib.yaml': 'trust: off\nlimits: { memoryMb: 200 }\n',
      })
      if ('uid' in as)
        for (const path of ['.', ...readdirSync(cwd, { recursive: true, encoding: 'utf8' })])
          chownSync(join(cwd, path), somebody, somebody)
      const run = (...args: string[]) =>
        toolcrib([...args, '--json'], { cwd, env: { XDG_CACHE_HOME: join(cwd, 'cache') }, ...as })
      const { checks } = (await run('doctor')).json
      expect(checks.find((check: { name: string }) => check.name === 'fence: cgroup')).toMatchObject({
        ok: false,
        detail: 'no control group is writable for this user',
        fix: expect.stringContaining('Delegate=yes'),
      })
      const small = await run('run', 'hog', '--params', '{"mb": 1}')
      expect(small).toMatchObject({
        code: 0,
        json: { ok: true, enforcement: { dimensions: { memory: 'partial' } } },
      })
      expect(small.json.enforcement.layers).not.toContain('cgroup')
      expect(await run('run', 'hog', '--params', '{"mb": 900}')).toMatchObject({
        code: 6,
        json: { error: { code: 'MEMORY_LIMIT' } },
      })
      writeFileSync(
        join(cwd, 'toolcrib.yaml'),
        'trust: off\nsandbox: { mode: required, require: [memory] }\n',
      )
      expect(await run('run', 'hog', '--params', '{"mb": 1}')).toMatchObject({
        code: 7,
        json: { error: { code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('memory') } },
      })
    },
    60_000,
  )
})

describe.skipIf(python === undefined)('without bubblewrap', () => {
  it.each([
    ['absent', undefined, /bwrap is not installed/, 'apt-get install bubblewrap'],
    [
      'broken',
      '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n',
      /does not work here: .*Permission denied/,
      'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
    ],
  ] as const)(
    '%s: doctor names it and the fix, a run says what was not held, required refuses',
    async (_, script, detail, fix) => {
      proves('label-honest', 'sandbox-required', 'doctor-fix')
      const cwd = tempFolder(files)
      const env = {
        PATH: pathWith(cwd, script),
        XDG_CACHE_HOME: join(cwd, 'cache'),
        TOOLCRIB_SANDBOX_ENGINE: 'bubblewrap',
      }
      const doctor = await toolcrib(['doctor', '--json'], { cwd, env })
      const layer = doctor.json.checks.find((check: { name: string }) => check.name === 'fence: bubblewrap')
      expect(layer).toMatchObject({
        ok: false,
        detail: expect.stringMatching(detail),
        fix: expect.stringContaining(fix),
      })
      const ran = await toolcrib(['run', 'hello', '--json'], { cwd, env })
      expect(ran.json).toMatchObject({
        ok: true,
        enforcement: {
          dimensions: {
            network: 'advisory',
            read: 'advisory',
            write: 'advisory',
            env: 'enforced',
            time: 'enforced',
          },
        },
      })
      expect(ran.json.enforcement.layers).not.toContain('bubblewrap')
      const refused = await toolcrib(['run', 'hello', '--json'], {
        cwd,
        env: { ...env, TOOLCRIB_SANDBOX: 'required' },
      })
      expect(refused).toMatchObject({
        code: 7,
        json: {
          ok: false,
          error: {
            code: 'SANDBOX_UNAVAILABLE',
            hint: expect.stringContaining(fix),
            message: expect.stringMatching(detail),
          },
        },
      })
      expect(
        await toolcrib(['doctor'], { cwd, env: { ...env, TOOLCRIB_SANDBOX: 'required' } }),
      ).toMatchObject({ code: 7 })
    },
    60_000,
  )
})

/** A bubblewrap that does not know an option, on its command line or among the arguments it is handed. */
const without = (option: string) => `#!/bin/sh
for word in "$@"; do
  if [ "$word" = "${option}" ]; then echo "bwrap: Unknown option ${option}" >&2; exit 1; fi
done
exec ${findOnPath('bwrap')} "$@"
`

describe.skipIf(python === undefined || findOnPath('bwrap') === undefined)(
  'a bubblewrap that is too old',
  () => {
    it.each([
      ['to be held back', '--block-fd', 'partial'],
      ['to say who its child is', '--info-fd', 'partial'],
      ['to take a filter on system calls', '--seccomp', 'partial'],
      ['for a private /tmp of its size', '--size', 'advisory'],
    ])(
      '%s (%s): a run says so, and required refuses',
      async (_, option, label) => {
        verifies('G10')
        proves('label-honest', 'sandbox-required')
        const cwd = tempFolder(files)
        const env = {
          PATH: pathWith(cwd, without(option)),
          XDG_CACHE_HOME: join(cwd, 'cache'),
          TOOLCRIB_SANDBOX_ENGINE: 'bubblewrap',
        }
        const ran = await toolcrib(['run', 'hello', '--json'], { cwd, env })
        expect(ran.json).toMatchObject({
          ok: true,
          enforcement: { dimensions: { read: label, write: label } },
        })
        const refused = await toolcrib(['run', 'hello', '--json'], {
          cwd,
          env: { ...env, TOOLCRIB_SANDBOX: 'required' },
        })
        expect(refused).toMatchObject({ code: 7, json: { error: { code: 'SANDBOX_UNAVAILABLE' } } })
      },
      60_000,
    )
  },
)

/** Root of a namespace of its own in which no further one can be made, and without any capability. */
const noNamespaces = [
  ...['unshare', '--user', '--map-root-user', 'sh', '-c'],
  'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"',
  'sh',
]
const canTakeNamespaces =
  python !== undefined && spawnSync(noNamespaces[0]!, [...noNamespaces.slice(1), 'true']).status === 0
if (!canTakeNamespaces)
  console.info('skipped: a kernel without user namespaces (unshare and setpriv cannot show one here)')

it.skipIf(!canTakeNamespaces)(
  'a kernel without user namespaces: nothing is claimed, and required refuses',
  async () => {
    proves('label-honest', 'sandbox-required')
    const cwd = tempFolder(files)
    const options = { cwd, through: noNamespaces }
    const env = { XDG_CACHE_HOME: join(cwd, 'cache') }
    const ran = await toolcrib(['run', 'hello', '--json'], { ...options, env })
    expect(ran.json).toMatchObject({
      ok: true,
      enforcement: { dimensions: { network: 'advisory', read: 'advisory', write: 'advisory' } },
    })
    const refused = await toolcrib(['run', 'hello', '--json'], {
      ...options,
      env: { ...env, TOOLCRIB_SANDBOX: 'required' },
    })
    expect(refused).toMatchObject({ code: 7, json: { error: { code: 'SANDBOX_UNAVAILABLE' } } })
  },
  60_000,
)

it.skipIf(python === undefined)(
  'the label of a run is the same in its outcome, its record and over MCP',
  async () => {
    proves('label-honest')
    const { crib, url, token } = await servedCrib({ files, config: { trust: 'off' } })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }) as never,
    )
    const answer = await client.callTool({ name: 'hello', arguments: {} })
    await client.close()
    const label = answer._meta?.['toolcrib/enforcement'] as {
      layers: string[]
      dimensions: Record<string, string>
    }
    expect(Object.keys(label.dimensions)).toEqual(
      expect.arrayContaining([
        'network',
        'read',
        'write',
        'subprocess',
        'env',
        'memory',
        'processes',
        'time',
        'output',
      ]),
    )
    expect(label.dimensions['network']).toBe(hasFence ? 'enforced' : 'advisory')
    const record = await crib.crumbs.runs.find(String(answer._meta?.['toolcrib/runId']))
    expect(record?.enforcement).toEqual(label)
    expect((await crib.call('hello', {})).enforcement).toEqual(label)
  },
)

it('a code skill runs in the host only when somebody vouches for it, and its label says where it ran', async () => {
  proves('in-process')
  verifies('G14')
  const cwd = tempFolder({
    'hi.skill.js': '/*---\nname: hi\ndescription: d\n---*/\nexport default () => "hi"\n',
  })
  for (const sandbox of ['preferred', 'required']) {
    const env = { TOOLCRIB_SANDBOX: sandbox, TOOLCRIB_TRUST_FOLDER: '0' }
    const { json } = await toolcrib(['run', 'hi', '--json'], { cwd, env })
    expect(json).toMatchObject({
      ok: true,
      // What a skill behind the fence writes is held on a layer, so no protected name can be made (E1).
      enforcement: { dimensions: { network: 'enforced', write: 'enforced', effects: 'held' } },
    })
    expect(json.enforcement.layers).not.toContain('in-process')
  }
  expect((await toolcrib(['keys', 'new', '--json'], { cwd })).code).toBe(0)
  expect((await toolcrib(['sign', 'hi.skill.js', '--json'], { cwd })).code).toBe(0)
  const env = { TOOLCRIB_TRUST_FOLDER: '0' }
  expect((await toolcrib(['run', 'hi', '--json'], { cwd, env })).json).toMatchObject({
    ok: true,
    enforcement: { layers: ['in-process'], dimensions: { network: 'advisory', write: 'advisory' } },
  })
}, 60_000)

/** The program with a limit on the size of every file it writes, as on a disk that is full. */
function onFullDisk(args: readonly string[], cwd: string, blocks: number): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(
      '/bin/sh',
      ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, cli, ...args],
      {
        cwd,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: cwd,
          TOOLCRIB_TRUST: 'off',
          TOOLCRIB_TRUST_FOLDER: '1',
        },
      },
    )
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.on('close', (code) =>
      resolve({
        code,
        stdout,
        stderr,
        get json() {
          return JSON.parse(stdout)
        },
      }),
    )
  })
}

describe('a disk that takes no more', () => {
  const skill = { 'hi.skill.js': '/*---\nname: hi\ndescription: d\n---*/\nexport default () => "hi"\n' }

  it('lets a call answer, says that it is not recorded, and harms no earlier record', async () => {
    proves('full-disk')
    const cwd = tempFolder(skill)
    const env = { TOOLCRIB_TRUST: 'off' }
    expect(await toolcrib(['run', 'hi'], { cwd, env })).toMatchObject({ code: 0, stdout: 'hi\n' })
    const full = await onFullDisk(['run', 'hi'], cwd, 1)
    expect(full).toMatchObject({
      code: 0,
      stdout: 'hi\n',
      stderr: expect.stringMatching(/Runs are not recorded/),
    })
    expect((await toolcrib(['runs', 'verify', '--json'], { cwd, env })).json).toMatchObject({ ok: true })
    const { runs } = (await toolcrib(['runs', 'list', '--json'], { cwd, env })).json
    expect(runs.length).toBeGreaterThanOrEqual(1)
  }, 60_000)

  it('that is full from the start is said too', async () => {
    proves('full-disk')
    const cwd = tempFolder(skill)
    const full = await onFullDisk(['run', 'hi'], cwd, 0)
    expect(full).toMatchObject({ code: 0, stdout: 'hi\n', stderr: expect.stringMatching(/not recorded/) })
  }, 60_000)
})

describe('a damaged database', () => {
  it('is named, left as it is, and stops only what needs it', async () => {
    proves('damaged-database')
    const cwd = tempFolder({
      'hi.skill.js': '/*---\nname: hi\ndescription: d\n---*/\nexport default () => "hi"\n',
      '.toolcrib/crib.db': 'this is no database at all, but somebody may still want to mend it',
    })
    const env = { TOOLCRIB_TRUST: 'off' }
    const before = readFileSync(join(cwd, '.toolcrib/crib.db'), 'utf8')
    const ran = await toolcrib(['run', 'hi'], { cwd, env })
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'hi\n',
      stderr: expect.stringMatching(/not recorded: .*(not a database|damaged|malformed)/i),
    })
    const listed = await toolcrib(['runs', 'list', '--json'], { cwd, env })
    expect(listed.code).not.toBe(0)
    expect(listed.stdout).toMatch(/crib\.db|not a database/)
    expect(readFileSync(join(cwd, '.toolcrib/crib.db'), 'utf8')).toBe(before)
  }, 60_000)
})
