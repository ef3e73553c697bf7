import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { has } from '../../test/system-parts.ts'
import { verifies } from '../../test/verifies.ts'
import { runToEnd } from '../runtimes/supervisor/run-to-end.ts'
import { Supervisor } from '../runtimes/supervisor/supervisor.ts'
import type { SpawnSpec } from './fence.ts'
import { type OpenFenceOptions, openFence } from './open-fence.ts'
import type { Profile } from './profile.ts'

const supervisor = new Supervisor()
let project: string

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'fence-')))
  mkdirSync(join(project, '.toolcrib'))
  mkdirSync(join(project, 'docs'))
  writeFileSync(join(project, '.toolcrib', 'token'), 'the token')
  writeFileSync(join(project, 'docs', 'a.md'), 'a')
  writeFileSync(join(project, 'b.md'), 'b')
})

afterAll(async () => {
  await supervisor.close()
  rmSync(project, { recursive: true, force: true })
})

function profile(given: Partial<Profile> = {}): Profile {
  return {
    network: { mode: 'none' },
    read: [project],
    write: [],
    hidden: [join(project, '.toolcrib')],
    readOnly: ['toolcrib.yaml', 'toolcrib.lock', '.ai/config/keys'].map((name) => join(project, name)),
    subprocess: true,
    memoryMb: 512,
    cpuPercent: null,
    calls: [],
    processes: 64,
    outputBytes: 1_000_000,
    ...given,
  }
}

function fence(given: Partial<OpenFenceOptions> = {}) {
  return openFence({ mode: 'preferred', project, ...given })
}

function shell(script: string, env: Record<string, string> = {}): SpawnSpec {
  return { file: '/bin/sh', args: ['-c', script], cwd: project, env: { PATH: '/usr/bin:/bin', ...env } }
}

async function run(script: string, given: Partial<Profile> = {}, env: Record<string, string> = {}) {
  const wrapped = fence().wrap(shell(script, env), profile(given))
  return runToEnd(supervisor, wrapped, {
    maxBytes: 100_000,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  })
}

const missing = { bubblewrap: { reason: 'bwrap is not installed' } }

describe('a machine without bubblewrap', () => {
  it('runs what it is given and says that nothing but the environment, time and output is held', () => {
    verifies('R68', 'C121')
    const spec = shell('true')
    const wrapped = fence({ probe: missing }).wrap(spec, profile())
    expect(wrapped.enforcement.layers).not.toContain('bubblewrap')
    expect(wrapped.enforcement.dimensions).toMatchObject({
      network: 'advisory',
      read: 'advisory',
      write: 'advisory',
      env: 'enforced',
      time: 'enforced',
      output: 'enforced',
    })
  })

  it('refuses when the sandbox is required, naming the layer and the fix', () => {
    verifies('C121')
    expect(() => fence({ mode: 'required', probe: missing }).wrap(shell('true'), profile())).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringContaining('bubblewrap is missing (bwrap is not installed)'),
        hint: 'apt-get install bubblewrap',
      }),
    )
  })

  it('refuses what sandbox.require lists and this machine cannot enforce', () => {
    verifies('C121')
    expect(() => fence({ require: ['network'], probe: missing }).wrap(shell('true'), profile())).toThrow(
      expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }),
    )
  })

  it('tells doctor what is missing and the one command that fixes it', () => {
    expect(fence({ probe: missing }).layers()).toContainEqual({
      name: 'bubblewrap',
      available: false,
      detail: 'bwrap is not installed',
      fix: 'apt-get install bubblewrap',
    })
  })
})

describe.skipIf(!has('bwrap'))('inside bubblewrap', () => {
  it('labels network, read and write as enforced', () => {
    verifies('C121')
    const { enforcement } = fence().wrap(shell('true'), profile())
    expect(enforcement.layers).toContain('bubblewrap')
    expect(enforcement.dimensions).toMatchObject({ network: 'enforced', read: 'enforced', write: 'enforced' })
  })

  it('gives the child the environment it was given and nothing of the host', async () => {
    const ended = await run('env | sort', {}, { A: '1', HOME: '/home/x' })
    expect(ended.stdout.text.trim().split('\n')).toEqual([
      'A=1',
      'HOME=/home/x',
      'PATH=/usr/bin:/bin',
      `PWD=${project}`,
    ])
  })

  it('keeps the values of variables out of every argv', async () => {
    const wrapped = fence().wrap(shell('true', { TOKEN: 'canary-5f1' }), profile())
    expect(JSON.stringify([wrapped.spec.file, wrapped.spec.args, wrapped.spec.env])).not.toContain('canary')
  })

  it('does not let a variable of the tool reach the programs outside', () => {
    const { spec } = fence().wrap(shell('true', { LD_PRELOAD: '/tmp/x.so' }), profile())
    expect(spec.env).toEqual({})
  })

  it('shows the project and not the home folder, and hides the state folder', async () => {
    const ended = await run(
      `cat docs/a.md b.md; ls .toolcrib; ls -A /root /home 2>/dev/null; cat .toolcrib/token`,
    )
    expect(ended.stdout.text).toBe('ab')
    expect(ended.stderr.text).toContain('.toolcrib/token')
  })

  it('lets a tool write where it may and nowhere else', async () => {
    const ended = await run('echo x > out/x; echo y > y; echo z > docs/z', { write: [join(project, 'out')] })
    expect(ended.stderr.text.match(/Read-only file system/g)).toHaveLength(2)
    expect(readFileSync(join(project, 'out', 'x'), 'utf8')).toBe('x\n')
    expect(existsSync(join(project, 'y'))).toBe(false)
  })

  it('opens only the scoped part of the project', async () => {
    const ended = await run('ls; cat docs/a.md; cat b.md', { read: [join(project, 'docs')] })
    expect(ended.stdout.text).toBe('docs\na')
    expect(ended.exitCode).not.toBe(0)
  })

  it('does not let a writing tool make, change, remove or rename what would raise its rights', async () => {
    await run(
      `echo 'trust: off' > toolcrib.yaml; rm -f toolcrib.lock; mv toolcrib.lock x; echo k > .ai/config/keys/k
       mv .ai/config .ai/old; mv .ai .old; mkdir -p .ai/config/keys && echo k > .ai/config/keys/k
       rmdir .toolcrib; mv .toolcrib y; echo t > .toolcrib/token; true`,
      { write: [project] },
    )
    expect(readFileSync(join(project, 'toolcrib.yaml'), 'utf8')).toBe('')
    expect(readFileSync(join(project, 'toolcrib.lock'), 'utf8')).toBe('')
    expect(existsSync(join(project, '.ai', 'config', 'keys', 'k'))).toBe(false)
    expect(readFileSync(join(project, '.toolcrib', 'token'), 'utf8')).toBe('the token')
  })

  it('refuses a granted folder that has become a link out of the crib', () => {
    symlinkSync('/etc', join(project, 'leak'))
    expect(() => fence().wrap(shell('true'), profile({ read: [join(project, 'leak')] }))).toThrow(
      expect.objectContaining({ code: 'PATH_OUTSIDE' }),
    )
    rmSync(join(project, 'leak'))
  })

  it('hides the programs of the host from a tool that may start none', async () => {
    const inside = fence().wrap(
      {
        file: '/usr/bin/perl',
        args: ['-e', 'print -e "/usr/bin/env" ? "seen" : "none"; print system("ls")'],
        cwd: project,
        env: {},
      },
      profile({ subprocess: false }),
    )
    const ended = await runToEnd(supervisor, inside, {
      maxBytes: 100,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    })
    expect(ended.stdout.text).toBe('none-1')
    expect(inside.enforcement.dimensions['subprocess']).toBe('partial')
  })

  it('passes the exit code on', async () => {
    expect((await run('exit 7')).exitCode).toBe(7)
  })

  it('keeps argv[0] for programs that look at their name', async () => {
    const wrapped = fence().wrap({ ...shell('echo "$0"'), args: ['-c', 'true'], argv0: 'mysh' }, profile())
    const named = fence().wrap(
      { file: '/bin/sh', argv0: 'mysh', args: ['-c', 'cat /proc/$$/cmdline'], cwd: project, env: {} },
      profile(),
    )
    expect(wrapped.spec.file).toContain('bwrap')
    const ended = await runToEnd(supervisor, named, {
      maxBytes: 1000,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    })
    expect(ended.stdout.text.split('\0')[0]).toMatch(/(^|\/)mysh$/)
  })

  it('says that a program is missing before anything starts', () => {
    expect(() => fence().wrap({ file: '/no/such', args: [], cwd: project, env: {} }, profile())).toThrow(
      expect.objectContaining({ code: 'COMMAND_NOT_FOUND' }),
    )
  })

  it('passes the worker channel on descriptor 3 through', async () => {
    const child = await supervisor.start(
      fence().wrap(shell('read line <&3; echo "got $line" >&3'), profile()),
      {
        channel: true,
      },
    )
    child.channel!.write('hello\n')
    const reply = await new Promise((resolve) => child.channel!.once('data', resolve))
    expect(String(reply)).toBe('got hello\n')
    await child.exited
  })

  it('passes the message channel of Node through', async () => {
    const spec: SpawnSpec = {
      file: process.execPath,
      args: ['-e', 'process.on("message", (m) => { process.send(m + 1); process.disconnect() })'],
      cwd: project,
      env: {},
    }
    const child = await supervisor.start(fence().wrap({ ...spec, env: {} }, profile()), { ipc: true })
    child.process.send(41)
    expect(await new Promise((resolve) => child.process.once('message', resolve))).toBe(42)
    await child.exited
  })

  it('leaves no other descriptor open inside', async () => {
    const ended = await run('exec ls -l /proc/self/fd')
    const open = [...ended.stdout.text.matchAll(/ (\d+) -> (.*)/g)].filter(
      ([, fd, target]) => Number(fd) > 2 && target !== '/dev/null' && !/^\/proc\/\d+\/fd$/.test(target!),
    )
    expect(open).toEqual([])
  })

  it('gives a tool its grace on TERM', async () => {
    const child = await supervisor.start(
      fence().wrap(shell('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done'), profile()),
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const said = new Promise((resolve) => child.stdout.once('data', resolve))
    await child.kill(10_000)
    expect(String(await said)).toBe('bye\n')
    expect((await child.exited).code).toBe(0)
  })

  it('leaves nothing of a tool that forked twice and made a new session', async () => {
    const mark = `survivor-${process.pid}`
    await run(
      `(setsid sh -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &) ; setsid sleep 301.${process.pid} >/dev/null 2>&1 &`,
    )
    const alive = await runToEnd(
      supervisor,
      {
        file: '/bin/sh',
        args: ['-c', `grep -al 'sleep.301.${process.pid}' /proc/[0-9]*/cmdline 2>/dev/null | grep -v self`],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
      },
      { maxBytes: 10_000, timeoutMs: 20_000, signal: new AbortController().signal },
    )
    expect(
      alive.stdout.text.split('\n').filter((line) => line !== '' && !readSafely(line).includes('grep')),
    ).toEqual([])
  })
})

function readSafely(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return 'grep'
  }
}
