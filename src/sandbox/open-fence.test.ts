import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines, FencedCrib, noCgroup, noEngine, realPython } from '../../test/helpers/fenced.ts'
import { proves } from '../../test/helpers/proves.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import type { EngineName } from './engine.ts'
import { probeLauncher } from './launcher/launcher.ts'
import type { OpenFenceOptions } from './open-fence.ts'

const python = realPython()

describe('a machine without an engine', () => {
  const bare = new FencedCrib({ probe: { ...noEngine, ...noCgroup } })
  afterAll(() => bare.close())

  it('says that nothing but environment, time and output is held', () => {
    verifies('R68', 'C121')
    const { enforcement } = bare.wrap(bare.shell('true'))
    expect(enforcement.layers).not.toContain('bubblewrap')
    expect(enforcement.dimensions).toEqual({
      network: 'advisory',
      read: 'advisory',
      write: 'advisory',
      subprocess: 'enforced',
      env: 'enforced',
      memory: 'partial',
      processes: 'partial',
      time: 'enforced',
      output: 'enforced',
      effects: 'none',
    })
  })

  it('refuses when the sandbox is required, naming the layer and the fix', async () => {
    proves('sandbox-required')
    verifies('C121')
    const strict = new FencedCrib({ mode: 'required', probe: noEngine })
    expect(() => strict.wrap(strict.shell('true'))).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringContaining('bubblewrap is missing (bwrap is not installed)'),
        hint: 'apt-get install bubblewrap',
      }),
    )
    await strict.close()
  })

  it('refuses what sandbox.require lists and this machine cannot enforce', async () => {
    verifies('C121')
    const strict = new FencedCrib({ require: ['memory'], probe: noCgroup })
    expect(() => strict.wrap(strict.shell('true'))).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_UNAVAILABLE',
        details: { dimension: 'memory', layer: 'cgroup' },
      }),
    )
    await strict.close()
  })

  it('tells doctor what is missing and the one command that fixes it', () => {
    proves('doctor-fix')
    expect(bare.fence.layers()).toContainEqual({
      name: 'bubblewrap',
      available: false,
      detail: 'bwrap is not installed',
      fix: 'apt-get install bubblewrap',
    })
  })

  it('still gives the child exactly its environment', async () => {
    const ended = await bare.run({ file: '/usr/bin/env', args: [], cwd: bare.project, env: { A: '1' } })
    expect(ended.stdout.text).toBe('A=1\n')
  })
})

describe.skipIf(engines.length < 2)('a machine with both engines', () => {
  const launcher = probeLauncher(undefined).found!
  const used = async (probe: OpenFenceOptions['probe'], engine?: 'bubblewrap') => {
    const crib = new FencedCrib({ probe, engine })
    const { layers } = crib.wrap(crib.shell('true')).enforcement
    await crib.close()
    return layers.filter((layer) => engines.includes(layer as EngineName))
  }

  it('uses the faster one where both can do as much, else the stronger, and the label says which', async () => {
    expect(await used({})).toEqual(['launcher'])
    expect(await used({ launcher: { found: { ...launcher, seccomp: false } } })).toEqual(['bubblewrap'])
    expect(await used({}, 'bubblewrap')).toEqual(['bubblewrap'])
  })
})

describe('a sandbox that is switched off', () => {
  it('starts what it is given and claims nothing', async () => {
    const open = new FencedCrib({ mode: 'off' })
    const spec = open.shell('true')
    const wrapped = open.wrap(spec)
    expect(wrapped.spec).toBe(spec)
    expect(wrapped.enforcement.dimensions).toMatchObject({
      network: 'advisory',
      read: 'advisory',
      write: 'advisory',
    })
    await open.close()
  })
})

describe.each(engines)('inside %s', (engine) => {
  const crib = new FencedCrib({ engine })
  const { project } = crib

  beforeAll(() => {
    mkdirSync(join(project, 'docs'))
    mkdirSync(join(project, '.ai', 'tools'), { recursive: true })
    writeFileSync(join(project, '.toolcrib', 'token'), 'the token')
    writeFileSync(join(project, 'docs', 'a.md'), 'a')
    writeFileSync(join(project, 'b.md'), 'b')
  })

  afterAll(() => crib.close())

  it('labels network, read and write as enforced', () => {
    verifies('C121')
    const wrapped = crib.wrap(crib.shell('true'))
    wrapped.release?.()
    expect(wrapped.enforcement.layers).toContain(engine)
    expect(wrapped.enforcement.dimensions).toMatchObject({
      network: 'enforced',
      read: 'enforced',
      write: 'enforced',
    })
  })

  it('gives the child the environment it was given and nothing of the host', async () => {
    proves('env-clean')
    const ended = await crib.run(crib.shell('env | sort', { A: '1', HOME: '/home/x' }))
    expect(ended.stdout.text.trim().split('\n')).toEqual([
      'A=1',
      'HOME=/home/x',
      'PATH=/usr/bin:/bin',
      `PWD=${project}`,
    ])
  })

  it('keeps the values of variables out of every argv', () => {
    proves('env-argv')
    const wrapped = crib.wrap(crib.shell('true', { TOKEN: 'canary-5f1' }))
    wrapped.release?.()
    const { file, args, env } = wrapped.spec
    expect(JSON.stringify([file, args, env])).not.toContain('canary')
  })

  it('does not let a variable of the tool reach the programs outside', () => {
    const wrapped = crib.wrap(crib.shell('true', { LD_PRELOAD: '/tmp/x.so' }))
    wrapped.release?.()
    expect(wrapped.spec.env).toEqual({})
  })

  it('shows the project and not the home folder, and hides the state folder', async () => {
    proves('read-project', 'state-hidden')
    const ended = await crib.run(
      'cat docs/a.md b.md; ls .toolcrib; ls -A /root /home 2>/dev/null; cat .toolcrib/token',
    )
    expect(ended.stdout.text).toBe('ab')
    expect(ended.stderr.text).toContain('.toolcrib/token')
  })

  it('lets a tool write where it may and nowhere else', async () => {
    proves('write-granted')
    const ended = await crib.run('echo x > out/x; echo y > y; echo z > docs/z', {
      write: [join(project, 'out')],
    })
    expect(ended.stderr.text.match(/Read-only file system/g)).toHaveLength(2)
    expect(readFileSync(join(project, 'out', 'x'), 'utf8')).toBe('x\n')
    expect(existsSync(join(project, 'y'))).toBe(false)
  })

  it('opens only the scoped part of the project', async () => {
    const ended = await crib.run('ls; cat docs/a.md; cat b.md', { read: [join(project, 'docs')] })
    expect(ended.stdout.text).toBe('docs\na')
    expect(ended.exitCode).not.toBe(0)
  })

  it('does not let a writing tool change, remove or rename what would raise its rights', async () => {
    for (const name of ['toolcrib.yaml', 'toolcrib.lock']) writeFileSync(join(project, name), '')
    mkdirSync(join(project, '.ai', 'config', 'keys'), { recursive: true })
    await crib.run(
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

  it('makes nothing in the folder of the user, and says what that leaves open to direct writes', async () => {
    verifies('G6')
    const own = new FencedCrib()
    const wrapped = own.wrap(own.shell('ls -A'), {
      write: [own.project],
      readOnly: [join(own.project, 'toolcrib.lock')],
    })
    expect((await own.finish(wrapped)).stdout.text).not.toContain('toolcrib.lock')
    expect(existsSync(join(own.project, 'toolcrib.lock'))).toBe(false)
    expect(wrapped.enforcement.dimensions).toMatchObject({ write: 'partial', effects: 'direct' })
    const narrow = own.wrap(own.shell('true'), { write: [join(own.project, 'out')] })
    expect(narrow.enforcement.dimensions).toMatchObject({ write: 'enforced' })
    narrow.release?.()
    await own.close()
  })

  it('lets nothing write that could make a protected name, where the sandbox is required', async () => {
    verifies('G6')
    const own = new FencedCrib({ mode: 'required' })
    const readOnly = [join(own.project, 'toolcrib.lock'), join(own.project, '.venv')]
    const wrapped = own.wrap(own.shell('touch toolcrib.lock made; mkdir .venv'), {
      write: [own.project],
      readOnly,
    })
    expect(wrapped.enforcement.dimensions).toMatchObject({ write: 'enforced', effects: 'none' })
    expect((await own.finish(wrapped)).stderr.text).toContain('Read-only')
    expect(readdirSync(own.project)).toEqual(['.toolcrib'])
    mkdirSync(join(own.project, 'out'))
    await own.run('touch out/made', { write: [join(own.project, 'out')], readOnly })
    expect(existsSync(join(own.project, 'out', 'made'))).toBe(true)
    await own.close()
  })

  it('refuses a granted folder that has become a link out of the crib', () => {
    proves('link-swap')
    symlinkSync('/etc', join(project, 'leak'))
    expect(() => crib.wrap(crib.shell('true'), { read: [join(project, 'leak')] })).toThrow(
      expect.objectContaining({ code: 'PATH_OUTSIDE' }),
    )
    rmSync(join(project, 'leak'))
  })

  it.skipIf(python === undefined)(
    'hides the programs of the host from a Python tool that may start none',
    async () => {
      const script = `
import os, subprocess
print(os.path.exists('/usr/bin/env'))
try: subprocess.run(['ls'])
except FileNotFoundError: print('none')`
      const wrapped = crib.wrap(
        { file: python!, args: ['-I', '-c', script], cwd: project, env: {} },
        { subprocess: false },
      )
      expect((await crib.finish(wrapped)).stdout.text).toBe('False\nnone\n')
      expect(wrapped.enforcement.dimensions['subprocess']).toBe('partial')
    },
  )

  it('shows programs to a shell, which is there to start them', async () => {
    expect((await crib.run('ls docs', { subprocess: false })).stdout.text).toBe('a.md\n')
  })

  it('passes the exit code on', async () => {
    expect((await crib.run('exit 7')).exitCode).toBe(7)
  })

  it('keeps argv[0] for programs that look at their name', async () => {
    const spec = { ...crib.shell('cat /proc/$$/cmdline'), argv0: 'mysh' }
    const ended = await crib.run(spec)
    expect(ended.stdout.text.split('\0')[0]).toMatch(/(^|\/)mysh$/)
  })

  it('says that a program is missing before anything starts', () => {
    expect(() => crib.wrap({ file: '/no/such', args: [], cwd: project, env: {} })).toThrow(
      expect.objectContaining({ code: 'COMMAND_NOT_FOUND' }),
    )
  })

  it('passes thousands of arguments on, and says so before the start when there are too many', async () => {
    const counting = (count: number) => ({
      ...crib.shell('echo $#'),
      args: ['-c', 'echo $#', 'sh', ...Array(count).fill('x')],
    })
    expect((await crib.run(counting(8_500))).stdout.text).toBe('8500\n')
    // The launcher takes as many as the kernel does.
    if (engine === 'launcher') return
    expect(() => crib.wrap(counting(9_000))).toThrow(
      expect.objectContaining({ code: 'COMMAND_FAILED', message: expect.stringContaining('9003 arguments') }),
    )
  })

  it('passes the worker channel on descriptor 3 through', async () => {
    const wrapped = crib.wrap(crib.shell('read line <&3; echo "got $line" >&3'))
    const child = await crib.supervisor.start(wrapped, { channel: true })
    child.channel!.write('hello\n')
    const reply = await new Promise((resolve) => child.channel!.once('data', resolve))
    expect(String(reply)).toBe('got hello\n')
    await child.exited
  })

  it('passes the message channel of Node through', async () => {
    const script = 'process.on("message", (m) => { process.send(m + 1); process.disconnect() })'
    const wrapped = crib.wrap({ file: process.execPath, args: ['-e', script], cwd: project, env: {} })
    const child = await crib.supervisor.start(wrapped, { ipc: true })
    child.process!.send(41)
    expect(await new Promise((resolve) => child.process!.once('message', resolve))).toBe(42)
    await child.exited
  })

  it('leaves no other descriptor open inside', async () => {
    proves('descriptors')
    const ended = await crib.run('exec ls -l /proc/self/fd')
    const open = [...ended.stdout.text.matchAll(/ (\d+) -> (.*)/g)].filter(
      ([, fd, target]) => Number(fd) > 2 && target !== '/dev/null' && !/^\/proc\/\d+\/fd$/.test(target!),
    )
    expect(open).toEqual([])
  })

  it('gives a tool its grace on TERM', async () => {
    const child = await crib.supervisor.start(
      crib.wrap(crib.shell('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done')),
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const said = new Promise((resolve) => child.stdout.once('data', resolve))
    await child.kill(10_000)
    expect(String(await said)).toBe('bye\n')
    expect((await child.exited).code).toBe(0)
  })
})
