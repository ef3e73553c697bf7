// Container tools on a real engine.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/tool/json.ts'
import { startEngine } from '../helpers/container-engine.ts'
import { type RunOptions, RyeTestBed } from '../helpers/rye-test-bed.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { cli, toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const started = startEngine()
if (typeof started === 'string') console.log(`skipped: container tools on a real engine: ${started}`)
const engine = started as Exclude<typeof started, string>

describe.skipIf(typeof started === 'string')('a container tool', { timeout: 120_000 }, () => {
  let bed: RyeTestBed
  const before: { [name: string]: string | undefined } = {}

  beforeAll(() => {
    for (const [name, value] of Object.entries({ ...engine.env, HOST_SECRET: 'not for tools' })) {
      before[name] = process.env[name]
      process.env[name] = value
    }
    bed = new RyeTestBed()
  })
  afterEach(() => expect(engine.containers()).toEqual([]))
  afterAll(async () => {
    await bed.close()
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    engine.close()
  })

  function run(config: { readonly [key: string]: Json }, params: object = {}, options: RunOptions = {}) {
    const file = bed.write('.ai/tools/c/tool.yaml', 'x: 1')
    const tool = bed.toolOn({ executor_id: 'docker' }, null, file, {
      codeFile: null,
      config: { image: engine.image, ...config },
      declaredParams: Object.keys(params),
    })
    return bed.run(tool, params, { timeoutMs: 60_000, ...options })
  }
  const shell = (script: string, ...args: string[]) => ({ command: ['/bin/sh', '-c', script, 'sh'], args })
  const lines = (ran: { readonly value?: { readonly output?: string } }) => ran.value!.output!.split('\n')

  it('reads its params and gives back the object it prints', async () => {
    verifies('R63', 'R64')
    const params = { text: 'a "b" $(id) \n ü', dashes: '--privileged', list: [1, { x: null }], timeout: 3 }
    expect((await run({ command: '/bin/cat' }, params)).value).toEqual(params)
  })

  it('may print before its result', async () => {
    verifies('R41')
    const ran = await run(shell(`echo noise; echo warned >&2; echo '{"success": true, "n": 1}'`))
    expect(ran.value).toEqual({ success: true, n: 1 })
    expect(ran.logs.map((line) => line.message).sort()).toEqual(['noise', 'warned'])
  })

  it('gets each argument as one word, whatever it holds', async () => {
    verifies('R65')
    const params = { a: '--privileged', b: '-v/:/host', c: '$(id); "x" \n', d: '' }
    const ran = await run(shell(`printf '[%s]' "$@"`, '{a}', '{b}', '{c}', '{d}'), params)
    expect(ran.value.output).toBe('[--privileged][-v/:/host][$(id); "x" \n][]')
  })

  it('fails with the code and the words it ends with', async () => {
    verifies('R43')
    expect((await run(shell('echo out of luck >&2; exit 3'))).error).toMatchObject({
      code: 'TOOL_FAILED',
      message: 'out of luck',
      details: { exit_code: 3 },
    })
  })

  it('fails with the name of a program its image does not have', async () => {
    const { error } = await run({ command: '/bin/nothing' })
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('/bin/nothing') })
  })

  it('is removed when its time is up, though it minds no signal', async () => {
    verifies('R46', 'R64')
    const { error } = await run(shell(`trap '' TERM; sleep 1000`), {}, { timeoutMs: 2_000 })
    expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true })
    expect(engine.containers()).toEqual([])
  })

  it('is removed when the call is cancelled', async () => {
    const stop = new AbortController()
    const running = run(shell('sleep 1000'), {}, { signal: stop.signal })
    await expect.poll(engine.containers, { timeout: 30_000 }).toHaveLength(1)
    stop.abort()
    expect((await running).error).toMatchObject({ code: 'CANCELLED' })
    expect(engine.containers()).toEqual([])
  })

  it('is ended by the kernel when it takes more memory than it may', async () => {
    const { error } = await run({
      command: '/bin/tail',
      args: ['-c', '200000000', '/dev/zero'],
      memory: '32m',
    })
    expect(error).toMatchObject({
      code: 'MEMORY_LIMIT',
      message: expect.stringContaining('32m'),
      details: { exit_code: 137 },
    })
  })

  it('has no network', async () => {
    verifies('R64')
    expect(lines(await run({ command: '/bin/ls', args: ['/sys/class/net'] }))).toEqual(['lo'])
  })

  it.skipIf(!engine.hasNetwork)('has a network where one is granted', async () => {
    const profile = { network: { mode: 'public', hosts: [] } } as const
    const ran = await run({ command: '/bin/ls', args: ['/sys/class/net'] }, {}, { profile })
    expect(lines(ran).length).toBeGreaterThan(1)
  })

  it('sees of the host its project alone, without writing to it', async () => {
    bed.write('seen.txt', 'seen')
    const ran = await run(shell('cat /workspace/seen.txt; echo; cat /proc/mounts; touch /workspace/made'))
    expect(ran.error).toMatchObject({ message: expect.stringContaining('Read-only file system') })
    const [seen, ...mounts] = lines({ value: (ran.error!.details as { result: { output: string } }).result })
    expect(seen).toBe('seen')
    const disks = mounts.map((line) => line.split(' ')).filter(([, , type]) => /^(ext|xfs|btrfs)/.test(type!))
    const known = ['/workspace', '/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/run/.containerenv']
    for (const [, target] of disks) expect(known).toContain(target)
  })

  it('writes where it may, and never to what decides over tools', async () => {
    bed.write('toolcrib.yaml', 'trust: warn\n')
    bed.write('.toolcrib/token', 'secret')
    const inside = (path: string) => join(bed.dir, path)
    const ran = await run(
      shell(`cd /workspace
        echo data > made.txt
        echo 'trust: off' > toolcrib.yaml
        mv .ai .elsewhere
        echo evil > .ai/tools/c/tool.yaml
        ls -A .toolcrib; echo end`),
      {},
      {
        profile: {
          read: [bed.dir],
          write: [bed.dir],
          hidden: [inside('.toolcrib')],
          readOnly: [inside('toolcrib.yaml'), inside('.ai/tools')],
        },
      },
    )
    expect(lines(ran)).toEqual(['end'])
    expect(readFileSync(inside('made.txt'), 'utf8')).toBe('data\n')
    expect(readFileSync(inside('toolcrib.yaml'), 'utf8')).toBe('trust: warn\n')
    expect(readFileSync(inside('.ai/tools/c/tool.yaml'), 'utf8')).toBe('x: 1')
  })

  it('sees only the folders its grants name', async () => {
    bed.write('docs/a.txt', 'a')
    bed.write('private/b.txt', 'b')
    const profile = { read: [join(bed.dir, 'docs')], write: [join(bed.dir, 'out')] }
    const ran = await run(shell('ls -A; cat docs/a.txt; echo w > out/w; ! touch docs/x'), {}, { profile })
    expect(lines(ran)).toEqual(['.ai', 'docs', 'out', 'a'])
    expect(readFileSync(join(bed.dir, 'out/w'), 'utf8')).toBe('w\n')
  })

  it('has the variables it was given and none of the host', async () => {
    verifies('R63')
    const env = { PLAIN: 'a b', EMPTY: '', QUOTED: `"q" 'r' \\n`, LD_PRELOAD: '/workspace/evil.so' }
    const ran = await run({ command: '/bin/env', env: { ...env, TWO: 'x\ny' } })
    const variables = lines(ran)
    for (const [name, value] of Object.entries(env)) expect(variables).toContain(`${name}=${value}`)
    expect(ran.value.output).toContain('TWO=x\ny')
    const others = variables
      .map((line) => line.split('=')[0]!)
      .filter((name) => !(name in { ...env, TWO: '' }))
    expect(others.sort()).toEqual(
      expect.not.arrayContaining(['HOST_SECRET', 'USER', 'LANG', ...Object.keys(engine.env)]),
    )
  })

  it('is not called when its image is not here, and nothing is fetched', async () => {
    const { error } = await run({ image: 'registry.invalid/toolcrib/none:1' })
    expect(error).toMatchObject({
      code: 'RUNTIME_MISSING',
      hint: `${engine.name} pull registry.invalid/toolcrib/none:1`,
    })
  })

  it.each(['--privileged', '-v/:/host', ' --rm', ''])('is not called with the image %j', async (image) => {
    expect((await run({ image, command: '/bin/true' })).error).toMatchObject({ code: 'TOOL_NOT_CALLABLE' })
  })

  it('gives back 100 MB where that much may be given back', async () => {
    const bytes = 100_000_000
    const flood = { command: '/bin/head', args: ['-c', String(bytes), '/dev/zero'] }
    const ran = await run(flood, {}, { profile: { outputBytes: 200_000_000 } })
    expect(ran.value.output.length).toBe(bytes)
    expect((await run(flood)).error).toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
  })

  it('may leave its params unread without losing a word', async () => {
    const params = { long: 'x'.repeat(100_000) }
    for (let round = 0; round < 25; round++)
      expect((await run({ command: '/bin/echo', args: ['said'] }, params)).value.output).toBe('said')
  })

  it('runs beside another one', async () => {
    const both = await Promise.all([1, 2].map((n) => run({ command: '/bin/cat' }, { n })))
    expect(both.map((ran) => ran.value)).toEqual([{ n: 1 }, { n: 2 }])
  })

  describe('called by the program', { timeout: 120_000 }, () => {
    const tool = (lines: readonly string[]) =>
      ['version: "1.0.0"', 'tool_type: docker', 'category: box', 'executor_id: docker', ...lines, ''].join(
        '\n',
      )
    const crib = () =>
      tempFolder({
        'toolcrib.yaml': 'grants: { tools: { "box/online": [net.http] } }\n',
        '.ai/tools/box/echo.yaml': tool([
          'tool_id: echo',
          'description: Gives back what it is given',
          'config_schema: { type: object, properties: { name: { type: string, default: Ada } } }',
          `config: { image: "${engine.image}", command: /bin/cat }`,
        ]),
        '.ai/tools/box/sleep.yaml': tool([
          'tool_id: sleep',
          'description: Sleeps',
          `config: { image: "${engine.image}", command: /bin/sleep, args: ["1000"] }`,
        ]),
        '.ai/tools/box/online.yaml': tool([
          'tool_id: online',
          'description: Wants the network',
          'requires: [net.http]',
          `config: { image: "${engine.image}", command: /bin/true }`,
        ]),
      })

    it('passes all guards and says what held it', async () => {
      const { json, code } = await toolcrib(['run', 'box/echo', '--json'], { cwd: crib(), env: engine.env })
      expect(json).toMatchObject({
        ok: true,
        value: { name: 'Ada' },
        enforcement: { layers: ['container'], dimensions: { network: 'enforced', write: 'enforced' } },
      })
      expect(code).toBe(0)
    })

    it('is refused where a sandbox is required that the engine cannot give', async () => {
      const env = { ...engine.env, TOOLCRIB_SANDBOX: 'required' }
      const { json } = await toolcrib(['run', 'box/online', '--json'], { cwd: crib(), env })
      expect(json.error).toMatchObject({
        code: 'SANDBOX_UNAVAILABLE',
        message: 'network cannot be enforced here.',
      })
    })

    it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
      'leaves no container when the program gets %s',
      async (signal) => {
        const cwd = crib()
        const program = spawn(process.execPath, [cli, 'run', 'box/sleep'], {
          cwd,
          env: { PATH: process.env['PATH'], HOME: cwd, ...engine.env },
          stdio: 'ignore',
        })
        const ended = new Promise((resolve) => program.once('exit', resolve))
        await expect.poll(engine.containers, { timeout: 30_000 }).toHaveLength(1)
        program.kill(signal)
        await ended
        await expect.poll(engine.containers, { timeout: 30_000 }).toEqual([])
      },
    )

    it('is what doctor says works, and what does not work is said', async () => {
      const engineIn = async (env: { readonly [name: string]: string }) => {
        const { json } = await toolcrib(['doctor', '--json'], { cwd: crib(), env })
        return json.checks.find((check: { name: string }) => check.name === 'container engine')
      }
      expect(await engineIn(engine.env)).toMatchObject({
        ok: true,
        detail: expect.stringContaining(engine.name),
      })
      if (engine.name === 'docker') return
      const conf = join(tempFolder({ 'containers.conf': '[engine]\nruntime = "none"\n' }), 'containers.conf')
      expect(await engineIn({ ...engine.env, CONTAINERS_CONF: conf })).toMatchObject({
        ok: false,
        detail: expect.stringContaining('podman does not work'),
      })
    })
  })
})
