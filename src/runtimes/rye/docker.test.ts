import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Json } from '../../tool/json.ts'

// A stand-in engine that writes down what it was asked; test/e2e/containers.test.ts runs a real one.
const engine = (dir: string) => `#!/bin/sh
PATH=/usr/bin:/bin
[ "$1" = version ] && { [ -f ${dir}/down ] && [ "\${0##*/}" = docker ] && echo "no daemon" >&2 && exit 1; exit 0; }
{ for word in "$@"; do printf '%s\\n' "$word"; done; echo --; } >> ${dir}/asked
env > ${dir}/environment
[ "$1" = rm ] && exit 0
[ -e /dev/fd/3 ] && cat /dev/fd/3 > ${dir}/variables
cat > ${dir}/stdin
[ -f ${dir}/hang ] && exec sleep 60
[ -f ${dir}/down ] && { echo "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?" >&2; exit 125; }
echo '{"success": true, "from": "container"}'`

let bed: RyeTestBed
const { PATH } = process.env

beforeAll(() => {
  bed = new RyeTestBed({ config: { env: { expose: ['GIVEN'] } } })
  process.env['GIVEN'] = 'given value'
})
beforeEach(() => use('docker'))
afterEach(() => {
  process.env['PATH'] = PATH
  for (const name of ['asked', 'hang', 'down', 'variables', 'bin'])
    rmSync(join(bed.dir, name), { force: true, recursive: true })
})
afterAll(async () => {
  delete process.env['GIVEN']
  await bed.close()
})

function use(...names: string[]): void {
  rmSync(join(bed.dir, 'bin'), { force: true, recursive: true })
  for (const name of names) bed.write(`bin/${name}`, engine(bed.dir), 0o755)
  // An engine of this machine must not be found.
  process.env['PATH'] = join(bed.dir, 'bin')
}

function container(config: { readonly [key: string]: Json }, given = {}) {
  const file = bed.write('.ai/tools/c/tool.yaml', 'x: 1')
  return bed.toolOn({ executor_id: 'docker' }, null, file, {
    codeFile: null,
    config: { image: 'img:1', ...config },
    ...given,
  })
}

/** The words of each command the engine was given. */
function asked(): string[][] {
  return readFileSync(join(bed.dir, 'asked'), 'utf8')
    .split('--\n')
    .filter(Boolean)
    .map((text) => text.trimEnd().split('\n'))
}

/** What the engine found in its file of variables. */
const variables = (): string => readFileSync(join(bed.dir, 'variables'), 'utf8')

const wordAfter = (words: readonly string[], flag: string) => words[words.indexOf(flag) + 1]

describe('the command line', () => {
  it('has the limits, no network, no new privileges and the project read-only at /workspace', async () => {
    verifies('R63', 'R64')
    expect((await bed.run(container({ command: 'run' }), { a: 1 })).value).toEqual({
      success: true,
      from: 'container',
    })
    const [words] = asked()
    expect(words!.slice(0, 3)).toEqual(['run', '--rm', '-i'])
    expect(wordAfter(words!, '--network')).toBe('none')
    expect(wordAfter(words!, '--memory')).toBe('512m')
    expect(wordAfter(words!, '--cpus')).toBe('1')
    expect(wordAfter(words!, '--security-opt')).toBe('no-new-privileges')
    expect(wordAfter(words!, '--mount')).toBe(`type=bind,source=${bed.dir},target=/workspace,readonly`)
    expect(wordAfter(words!, '--workdir')).toBe('/workspace')
    expect(readFileSync(join(bed.dir, 'stdin'), 'utf8')).toBe('{"a":1}')
  })

  it('opens network and writing with the capabilities, and keeps the crib’s own files closed', async () => {
    verifies('R64')
    bed.write('.toolcrib/x', '')
    bed.write('toolcrib.yaml', '')
    await bed.run(
      container({ memory: '1g', cpus: 2 }),
      {},
      {
        profile: {
          network: { mode: 'public', hosts: [] },
          write: [bed.dir],
          hidden: [join(bed.dir, '.toolcrib')],
          readOnly: [join(bed.dir, 'toolcrib.yaml')],
        },
      },
    )
    const [words] = asked()
    expect(words).not.toContain('--network')
    expect(wordAfter(words!, '--memory')).toBe('1g')
    expect(wordAfter(words!, '--cpus')).toBe('2')
    expect(words!.filter((_, index) => words![index - 1] === '--mount')).toEqual([
      `type=bind,source=${bed.dir},target=/workspace`,
      `type=bind,source=${bed.dir}/toolcrib.yaml,target=/workspace/toolcrib.yaml,readonly`,
      expect.stringMatching(/^type=bind,source=\S+-blank-\w+,target=\/workspace\/.toolcrib,readonly$/),
    ])
  })

  it.each([
    [{ command: 'c', args: ['a', '{n}'] }, ['img:1', 'c', 'a', '5']],
    [{ entrypoint: 'e', args: ['a'] }, ['--entrypoint', 'e', 'img:1', 'a']],
    [{ command: 'python', entrypoint: '/app/x.py', args: ['a'] }, ['img:1', 'python', '/app/x.py', 'a']],
    [{ args: ['{absent}', 'b'] }, ['img:1', 'b']],
  ])('%j ends in %j', async (config, tail) => {
    verifies('R65')
    await bed.run(container(config, { declaredParams: ['n', 'absent'] }), { n: 5 })
    expect(asked()[0]!.slice(-tail.length)).toEqual(tail)
  })

  it('opens no more of the project than the grants do, and what the tool is made of', async () => {
    verifies('R64')
    bed.write('docs/x', '')
    await bed.run(container({}), {}, { profile: { read: [join(bed.dir, 'docs')] } })
    await bed.run(container({}), {}, { profile: { write: [join(bed.dir, 'out')] } })
    const mounts = asked().map((words) => words.filter((_, index) => words[index - 1] === '--mount').sort())
    const own = `type=bind,source=${bed.dir}/.ai/tools/c,target=/workspace/.ai/tools/c,readonly`
    expect(mounts).toEqual([
      [
        own,
        `type=bind,source=${bed.dir}/docs,target=/workspace/docs,readonly`,
        'type=tmpfs,target=/workspace',
      ],
      [own, `type=bind,source=${bed.dir}/out,target=/workspace/out`, 'type=tmpfs,target=/workspace'],
    ])
  })

  it('asks for no more memory and processor than the limits of the crib give', async () => {
    await bed.run(container({ memory: '4g', cpus: 8 }), {}, { profile: { memoryMb: 100, cpuPercent: 50 } })
    const [words] = asked()
    expect(['--memory', '--memory-swap', '--cpus'].map((flag) => wordAfter(words!, flag))).toEqual([
      '100m',
      '100m',
      '0.5',
    ])
  })

  it.each<{ readonly [key: string]: Json }>([
    { memory: '0' },
    { memory: '-1' },
    { memory: 'lots' },
    { cpus: 0 },
    { cpus: 'all' },
  ])('refuses %j, which would be no limit', async (config) => {
    expect((await bed.run(container(config))).error).toMatchObject({ code: 'TOOL_NOT_CALLABLE' })
  })

  it('takes from the host the variables in the list that are exposed', async () => {
    verifies('R63')
    const ran = await bed.run(container({ env: ['GIVEN', 'HOME', 'UNSET_ONE'] }))
    expect(variables()).toBe('GIVEN=given value\n')
    expect(ran.logs.map((line) => line.data)).toEqual([
      { code: 'env-unset', name: 'HOME' },
      { code: 'env-unset', name: 'UNSET_ONE' },
    ])
  })

  it('shows the values of variables neither in the command line nor to the engine itself', async () => {
    verifies('R63')
    await bed.run(container({ env: { KEY: 'v {n}', LD_PRELOAD: '/workspace/evil.so' } }), { n: 1 })
    expect(asked()[0]!.join(' ')).not.toMatch(/v 1|evil/)
    expect(readFileSync(join(bed.dir, 'environment'), 'utf8')).not.toMatch(/v 1|evil/)
    expect(variables()).toBe('KEY=v 1\nLD_PRELOAD=/workspace/evil.so\n')
  })

  it('passes as arguments what a file of variables cannot hold', async () => {
    await bed.run(container({ env: { LINES: 'a\nFORGED=1', QUOTED: '"q"' } }))
    expect(asked()[0]!.join('\n')).toContain('--env\nLINES=a\nFORGED=1\n--env\nQUOTED="q"')
  })

  it('passes no secret as an argument, and refuses one that a file of variables cannot hold', async () => {
    const tool = container({})
    const runtime = await bed.runtime(tool)
    const { attempt } = bed.attempt(tool)
    await runtime.run({ ...attempt, secrets: { TOKEN: 'plain secret' } })
    expect(asked()[0]!.join('\n')).not.toContain('plain secret')
    await expect(runtime.run({ ...attempt, secrets: { TOKEN: 'line one\nline two' } })).rejects.toMatchObject(
      {
        code: 'TOOL_NOT_CALLABLE',
        message: expect.not.stringContaining('line one'),
      },
    )
    expect(asked()).toHaveLength(1)
  })

  it.each(['*', 'A=B', 'A\nB', '--privileged', ''])('refuses a variable named %j', async (name) => {
    const { error } = await bed.run(container({ env: { [name]: 'x' } }))
    expect(error).toMatchObject({ code: 'TOOL_NOT_CALLABLE' })
  })

  it('refuses an image that is missing or a flag', async () => {
    for (const image of ['', '--privileged'])
      expect((await bed.run(container({ image }))).error).toMatchObject({ code: 'TOOL_NOT_CALLABLE' })
  })
})

describe('the engine', () => {
  it('is docker, else podman, else RUNTIME_MISSING', async () => {
    verifies('R64')
    use('podman')
    expect((await bed.plan(container({}))).binary).toBe('podman')
    use('podman', 'docker')
    expect((await bed.plan(container({}))).binary).toBe('docker')
    expect((await bed.plan(container({ env: { B: '1', A: '2' } }))).env).toEqual(['A', 'B'])
    process.env['PATH'] = join(bed.dir, 'bin-none')
    const ran = await bed.run(container({}))
    expect(ran.error).toMatchObject({
      code: 'RUNTIME_MISSING',
      message: expect.stringMatching(/docker.*podman/),
    })
  })

  it('is podman when docker is only another name of it', async () => {
    use('podman')
    bed.write('bin/docker', '#!/bin/sh\nexec /usr/bin/podman "$@"\n', 0o755)
    expect((await bed.plan(container({}))).binary).toBe('podman')
  })

  it('that does not answer is RUNTIME_MISSING', async () => {
    bed.write('down', '')
    expect((await bed.run(container({}))).error).toMatchObject({
      code: 'RUNTIME_MISSING',
      message: expect.stringContaining('Cannot connect to the Docker daemon'),
      hint: expect.stringContaining('install podman'),
    })
  })

  it('is podman where docker is installed and its daemon does not answer', async () => {
    use('podman', 'docker')
    await bed.run(container({}))
    bed.write('down', '')
    expect((await bed.run(container({}))).error).toMatchObject({ code: 'RUNTIME_MISSING' })
    expect((await bed.plan(container({}))).binary).toBe('podman')
  })

  it('removes the container when the time is up', async () => {
    verifies('R64', 'R46')
    bed.write('hang', '')
    expect((await bed.run(container({}), {}, { timeoutMs: 300 })).error).toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    })
    const [run, remove] = asked()
    expect(remove).toEqual(['rm', '-f', wordAfter(run!, '--name')])
  })
})
