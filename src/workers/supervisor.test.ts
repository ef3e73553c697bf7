import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import type { SpawnSpec } from '../sandbox/fence.ts'
import { type RunToEndOptions, runToEnd } from './run-to-end.ts'
import { Supervisor } from './supervisor.ts'

let supervisor: Supervisor

beforeEach(() => {
  supervisor = new Supervisor()
})
afterEach(() => supervisor.close())

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const shell = (script: string): SpawnSpec => ({ file: '/bin/sh', args: ['-c', script], cwd: '/', env })

function run(script: string, options: Partial<RunToEndOptions> = {}) {
  return runToEnd(supervisor, shell(script), {
    maxBytes: 1_000_000,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...options,
  })
}

/** The state letter of a process, or undefined when it is gone. */
function stateOf(pid: number): string | undefined {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

const isRunning = (pid: number) => !['Z', undefined].includes(stateOf(pid))

function groupOf(pid: number): number {
  return Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[2],
  )
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}

/** Guardians among the children of a host; a child that has not reached its program yet is none. */
function guardiansOf(host: number): number[] {
  return childrenOf(host).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('live='))
}

const openFiles = () => readdirSync('/proc/self/fd').length

describe('a child', () => {
  it('starts what is fenced when its fence is in place, not before', async () => {
    let isReady = false
    const ready = new Promise<void>((resolve) => {
      setTimeout(() => {
        isReady = true
        resolve()
      }, 50)
    })
    const child = await supervisor.start({
      spec: shell('true'),
      enforcement: { layers: [], dimensions: {} },
      ready,
      started: () => void expect(isReady).toBe(true),
    })
    expect(isReady).toBe(true)
    await child.exited
  })

  it('leads a group of its own', async () => {
    const child = await supervisor.start(shell('sleep 60'))
    expect(groupOf(child.pid)).toBe(child.pid)
    expect(supervisor.running).toBe(1)
    await child.kill(0)
    expect(supervisor.running).toBe(0)
  })

  it('is asked to end first', async () => {
    const child = await supervisor.start(
      shell('trap "exit 7" TERM; echo ready; while :; do sleep 0.01; done'),
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    await child.kill(10_000)
    expect(await child.exited).toEqual({ code: 7, signal: null, diedOf: null })
  })

  it('that nobody waits for keeps the program from ending while it is killed', async () => {
    const child = await supervisor.start(shell('exec sleep 60'))
    const handle = (child.process as unknown as { readonly _handle: { hasRef(): boolean } })._handle
    child.unref()
    expect(handle.hasRef()).toBe(false)
    const killed = child.kill(0)
    expect(handle.hasRef()).toBe(true)
    await killed
  })

  it('that ignores the request is killed, with what it started', async () => {
    const child = await supervisor.start(
      shell('trap "" TERM; sleep 60 & echo $!; while :; do sleep 0.01; done'),
    )
    const [pid] = await new Promise<string[]>((resolve) =>
      child.stdout.once('data', (data: Buffer) => resolve(String(data).trim().split(' '))),
    )
    await child.kill(50)
    expect((await child.exited).signal).toBe('SIGKILL')
    await expect.poll(() => isRunning(Number(pid))).toBe(false)
  })

  it.each([
    [{ file: '/no/such/program' }, 'COMMAND_NOT_FOUND'],
    [{ file: '/etc/passwd' }, 'COMMAND_NOT_FOUND'],
    [{ cwd: '/no/such/folder' }, 'COMMAND_NOT_FOUND'],
    [{ args: ['x'.repeat(3_000_000)] }, 'COMMAND_FAILED'],
    [{ args: ['a\0b'] }, 'COMMAND_FAILED'],
  ])('that cannot start is an error ($1)', async (wrong, code) => {
    let released = 0
    const fenced = {
      spec: { ...shell('true'), ...wrong },
      enforcement: { layers: [], dimensions: {} },
      release: () => void released++,
    }
    await expect(supervisor.start(fenced)).rejects.toMatchObject({ code })
    expect(released).toBe(1)
    expect(supervisor.running).toBe(0)
  })
})

describe('running to the end', () => {
  it('gives output and exit code', async () => {
    expect(await run('cat; echo err >&2; exit 3', { input: 'in' })).toEqual({
      exitCode: 3,
      signal: null,
      diedOf: null,
      stdout: { text: 'in', bytes: 2, truncated: false },
      stderr: { text: 'err\n', bytes: 4, truncated: false },
    })
  })

  it('passes a large input through a large output', async () => {
    const input = 'é'.repeat(5_000_000)
    const ended = await run('cat', { input, maxBytes: 20_000_000 })
    expect(ended.stdout.text === input).toBe(true)
  })

  it('gives a program without input an empty one that is no pipe, so that it does not look for data in it', async () => {
    const { stdout } = await run(
      'cat; if [ -p /dev/stdin ] || [ -S /dev/stdin ]; then echo pipe; fi; echo done',
    )
    expect(stdout.text).toBe('done\n')
  })

  it('minds neither a program that never reads nor one that closes its input', async () => {
    const input = Buffer.alloc(10_000_000)
    expect((await run('true', { input })).exitCode).toBe(0)
    expect((await run('exec 0<&-; sleep 0.05', { input })).exitCode).toBe(0)
  })

  it('keeps the first bytes of a flood, cut between characters, and reads the rest away', async () => {
    const ended = await run('yes é | head -c 30000000', { maxBytes: 100 })
    expect(ended.stdout).toMatchObject({ bytes: 30_000_000, truncated: true })
    expect(ended.stdout.text).toBe('é\n'.repeat(33))
  })

  it('stops a flood when asked to', async () => {
    const ended = await run('yes', { maxBytes: 1000, stopWhenFull: true })
    expect(ended.stdout.truncated).toBe(true)
    expect(ended.signal).toBe('SIGKILL')
  })

  it('does not wait for a process that left the group and holds the pipe', async () => {
    const ended = await run('setsid sleep 30 & echo $!; exit 0')
    const pid = Number(ended.stdout.text)
    expect(ended.exitCode).toBe(0)
    process.kill(pid, 'SIGKILL')
  })

  it('ends what a finished program left in its group', async () => {
    const ended = await run('sleep 60 >/dev/null 2>&1 & echo $!')
    await expect.poll(() => isRunning(Number(ended.stdout.text))).toBe(false)
  })

  it('throws TIMEOUT after the group is gone', async () => {
    let pid = 0
    const running = run('echo $$; sleep 60', {
      timeoutMs: 200,
      onStdout: (chunk) => (pid = Number(String(chunk))),
    })
    await expect(running).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true })
    expect(isRunning(pid)).toBe(false)
  })

  it('throws CANCELLED when the signal fires, before or during', async () => {
    await expect(run('true', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
    const before = supervisor.running
    const controller = new AbortController()
    const running = run('echo; sleep 60', { signal: controller.signal, onStdout: () => controller.abort() })
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(supervisor.running).toBe(before)
  })

  it('passes on what stands on other descriptors, and argv[0]', async () => {
    const spec: SpawnSpec = {
      ...shell(''),
      args: ['-c', 'cat <&9; tr "\\0" " " </proc/$$/cmdline', 'a', 'é b'],
      argv0: 'other-name',
      handovers: [{ fd: 9, bytes: Buffer.from('handed over\n') }],
    }
    const { stdout } = await runToEnd(supervisor, spec, {
      maxBytes: 1000,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    })
    expect(stdout.text).toMatch(/^handed over\nother-name -c .* a é b $/)
  })

  it.each([
    [{ file: '/no/such/program' }, 'COMMAND_NOT_FOUND'],
    [{ cwd: '/no/such/folder' }, 'COMMAND_NOT_FOUND'],
    [{ args: ['x'.repeat(3_000_000)] }, 'COMMAND_FAILED'],
    [{ args: ['a\0b'] }, 'COMMAND_FAILED'],
  ])('says why a program cannot start (%#: $1)', async (wrong, code) => {
    const before = supervisor.running
    const options = { maxBytes: 10, timeoutMs: 20_000, signal: new AbortController().signal }
    const spec = { ...shell('true'), ...wrong }
    await expect(runToEnd(supervisor, spec, options)).rejects.toMatchObject({ code })
    expect(supervisor.running).toBe(before)
  })
})

describe('many programs at once', () => {
  it('keep the order and the bytes of their output', async () => {
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        run(`seq ${n}00000 ${n}99999; seq 5 >&2`, { maxBytes: 5_000_000 }),
      ),
    )
    runs.forEach(({ stdout, stderr }, n) => {
      const wanted = Array.from({ length: 100_000 }, (_, at) => n * 100_000 + at)
      expect(stdout.text === `${wanted.join('\n')}\n`).toBe(true)
      expect(stderr.text).toBe('1\n2\n3\n4\n5\n')
    })
  })
})

describe('over many runs', () => {
  it('neither descriptors nor zombies are left', async () => {
    await run('true')
    const before = openFiles()
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 10 }, () => run('echo x; cat >/dev/null', { input: 'y' })))
    }
    await expect.poll(() => openFiles()).toEqual(before)
    expect(childrenOf(process.pid).filter((pid) => stateOf(pid) === 'Z')).toEqual([])
    expect(supervisor.running).toBe(0)
  })
})

describe('the end of the host', () => {
  it('closing ends every child and starts no other', async () => {
    const child = await supervisor.start(shell('trap "" TERM; while :; do sleep 0.01; done'))
    await supervisor.close()
    expect(isRunning(child.pid)).toBe(false)
    await expect(supervisor.start(shell('true'))).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('closing leaves the rest of its time to a child that was asked to end already', async () => {
    const child = await supervisor.start(
      shell('trap "sleep 0.6; exit 7" TERM; echo ready; while :; do sleep 0.01; done'),
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const ending = child.kill(20_000)
    await supervisor.close()
    await ending
    expect(await child.exited).toEqual({ code: 7, signal: null, diedOf: null })
  })

  it('runs the commands that were left and not taken back, whatever is in them', async () => {
    const folder = tempFolder()
    const odd = `${folder}/it's "$(id)" \\ *`
    const leave = (...args: string[]) =>
      supervisor.leave({ file: '/bin/touch', args, cwd: '/', env: { A: '$B', C: 'd\ne' } })
    leave(odd)
    leave(`${folder}/taken-back`)()
    leave(`${folder}/second`)
    await run('true')
    expect(readdirSync(folder)).toEqual([])
    await supervisor.close()
    await expect.poll(() => readdirSync(folder).sort()).toEqual([basename(odd), 'second'])
  })

  it('being killed leaves no process behind', async () => {
    const { host, pids } = await doomedHost()
    host.kill('SIGKILL')
    await expect.poll(() => pids.filter(isRunning), { timeout: 2_000 }).toEqual([])
  })

  it('being killed leaves no process behind even when the guardian was killed before', async () => {
    const { host, pids } = await doomedHost()
    await expect.poll(() => guardiansOf(host.pid!)).toHaveLength(1)
    const [guardian] = guardiansOf(host.pid!)
    process.kill(guardian!, 'SIGKILL')
    await expect.poll(() => guardiansOf(host.pid!).filter((pid) => pid !== guardian)).toHaveLength(1)
    host.kill('SIGKILL')
    await expect.poll(() => pids.filter(isRunning), { timeout: 2_000 }).toEqual([])
  })
})

/** A host with three children that each have one more, all running. */
async function doomedHost() {
  const host = hostOf('doomed-host.ts')
  const pids: number[] = []
  for await (const line of createInterface({ input: host.stdout! })) {
    pids.push(...line.split(' ').map(Number))
    if (pids.length === 6) break
  }
  expect(pids.every(isRunning)).toBe(true)
  return { host, pids }
}

function hostOf(fixture: string) {
  const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  const loader = at('system/tools/rye/core/runtimes/node/bootstrap/typescript.mjs')
  return spawn(process.execPath, ['--import', loader, at(`test/helpers/fixtures/${fixture}`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
