import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Workshop } from '../../../test/rye-workshop.ts'
import { verifies } from '../../../test/verifies.ts'
import type { Json } from '../../tool/json.ts'

// A stand-in engine that writes down what it was asked, since a real one rarely runs where tests do; the last
// test uses the real one where it answers.
const engine = (dir: string) => `#!/bin/sh
{ for word in "$@"; do printf '%s\\n' "$word"; done; echo --; } >> ${dir}/asked
env > ${dir}/environment
[ "$1" = rm ] && exit 0
cat > ${dir}/stdin
[ -f ${dir}/hang ] && exec sleep 60
[ -f ${dir}/down ] && { echo "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?" >&2; exit 125; }
echo '{"success": true, "from": "container"}'`

let shop: Workshop
const { PATH } = process.env

beforeAll(() => {
  shop = new Workshop({ config: { env: { expose: ['GIVEN'] } } })
  process.env['GIVEN'] = 'given value'
})
beforeEach(() => use('docker'))
afterEach(() => {
  process.env['PATH'] = PATH
  for (const name of ['asked', 'hang', 'down', 'bin'])
    rmSync(join(shop.dir, name), { force: true, recursive: true })
})
afterAll(async () => {
  delete process.env['GIVEN']
  await shop.close()
})

function use(...names: string[]): void {
  rmSync(join(shop.dir, 'bin'), { force: true, recursive: true })
  for (const name of names) shop.write(`bin/${name}`, engine(shop.dir), 0o755)
  process.env['PATH'] = `${join(shop.dir, 'bin')}:/usr/bin:/bin`
}

function container(config: { readonly [key: string]: Json }, given = {}) {
  const file = shop.write('.ai/tools/c/tool.yaml', 'x: 1')
  return shop.toolOn({ executor_id: 'docker' }, null, file, {
    codeFile: null,
    config: { image: 'img:1', ...config },
    ...given,
  })
}

/** The words of each command the engine was given. */
function asked(): string[][] {
  return readFileSync(join(shop.dir, 'asked'), 'utf8')
    .split('--\n')
    .filter(Boolean)
    .map((text) => text.trimEnd().split('\n'))
}

const wordAfter = (words: readonly string[], flag: string) => words[words.indexOf(flag) + 1]

describe('the command line', () => {
  it('has the limits, no network, no new privileges and the project read-only at /workspace', async () => {
    verifies('R63', 'R64')
    expect((await shop.run(container({ command: 'run' }), { a: 1 })).value).toEqual({
      success: true,
      from: 'container',
    })
    const [words] = asked()
    expect(words!.slice(0, 3)).toEqual(['run', '--rm', '-i'])
    expect(wordAfter(words!, '--network')).toBe('none')
    expect(wordAfter(words!, '--memory')).toBe('512m')
    expect(wordAfter(words!, '--cpus')).toBe('1')
    expect(wordAfter(words!, '--security-opt')).toBe('no-new-privileges')
    expect(wordAfter(words!, '--mount')).toBe(`type=bind,source=${shop.dir},target=/workspace,readonly`)
    expect(wordAfter(words!, '--workdir')).toBe('/workspace')
    expect(readFileSync(join(shop.dir, 'stdin'), 'utf8')).toBe('{"a":1}')
  })

  it('opens network and writing with the capabilities, and keeps the crib’s own files closed', async () => {
    verifies('R64')
    shop.write('.toolcrib/x', '')
    shop.write('toolcrib.yaml', '')
    await shop.run(
      container({ memory: '1g', cpus: 2 }),
      {},
      {
        profile: {
          network: { mode: 'public', hosts: [] },
          write: [shop.dir],
          hidden: [join(shop.dir, '.toolcrib')],
          readOnly: [join(shop.dir, 'toolcrib.yaml')],
        },
      },
    )
    const [words] = asked()
    expect(words).not.toContain('--network')
    expect(wordAfter(words!, '--memory')).toBe('1g')
    expect(wordAfter(words!, '--cpus')).toBe('2')
    expect(words!.filter((_, index) => words![index - 1] === '--mount')).toEqual([
      `type=bind,source=${shop.dir},target=/workspace`,
      'type=tmpfs,target=/workspace/.toolcrib',
      `type=bind,source=${shop.dir}/toolcrib.yaml,target=/workspace/toolcrib.yaml,readonly`,
    ])
  })

  it.each([
    [{ command: 'c', args: ['a', '{n}'] }, ['img:1', 'c', 'a', '5']],
    [{ entrypoint: 'e', args: ['a'] }, ['--entrypoint', 'e', 'img:1', 'a']],
    [{ command: 'python', entrypoint: '/app/x.py', args: ['a'] }, ['img:1', 'python', '/app/x.py', 'a']],
    [{ args: ['{absent}', 'b'] }, ['img:1', 'b']],
  ])('%j ends in %j', async (config, tail) => {
    verifies('R65')
    await shop.run(container(config, { declaredParams: ['n', 'absent'] }), { n: 5 })
    expect(asked()[0]!.slice(-tail.length)).toEqual(tail)
  })

  it('passes variables by name: a list from exposed ones, a map with values', async () => {
    verifies('R63')
    const ran = await shop.run(container({ env: ['GIVEN', 'HOME', 'UNSET_ONE'] }))
    expect(asked()[0]!.filter((_, index, all) => all[index - 1] === '--env')).toEqual(['GIVEN'])
    expect(ran.logs.map((line) => line.data)).toEqual([
      { code: 'env-unset', name: 'HOME' },
      { code: 'env-unset', name: 'UNSET_ONE' },
    ])
    await shop.run(container({ env: { KEY: 'v {n}' } }), { n: 1 })
    expect(asked()[1]).not.toContain('v 1')
    expect(readFileSync(join(shop.dir, 'environment'), 'utf8')).toContain('KEY=v 1')
  })

  it('refuses an image that is missing or a flag', async () => {
    for (const image of ['', '--privileged'])
      expect((await shop.run(container({ image }))).error).toMatchObject({ code: 'TOOL_NOT_CALLABLE' })
  })
})

describe('the engine', () => {
  it('is docker, else podman, else RUNTIME_MISSING', async () => {
    verifies('R64')
    use('podman')
    expect((await shop.plan(container({}))).binary).toBe('podman')
    use('podman', 'docker')
    expect((await shop.plan(container({}))).binary).toBe('docker')
    process.env['PATH'] = join(shop.dir, 'bin-none')
    const ran = await shop.run(container({}))
    expect(ran.error).toMatchObject({
      code: 'RUNTIME_MISSING',
      message: expect.stringMatching(/docker.*podman/),
    })
  })

  it('that does not answer is RUNTIME_MISSING', async () => {
    shop.write('down', '')
    expect((await shop.run(container({}))).error).toMatchObject({ code: 'RUNTIME_MISSING' })
  })

  it('removes the container when the time is up', async () => {
    verifies('R64', 'R46')
    shop.write('hang', '')
    expect((await shop.run(container({}), {}, { timeoutMs: 300 })).error).toMatchObject({
      code: 'TIMEOUT',
      retryable: true,
    })
    const [run, remove] = asked()
    expect(remove).toEqual(['rm', '-f', wordAfter(run!, '--name')])
  })
})

function realEngine(): boolean {
  try {
    execFileSync('docker', ['image', 'inspect', 'busybox'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

it.skipIf(!realEngine())('runs a real container', async () => {
  process.env['PATH'] = PATH
  const ran = await shop.run(container({ image: 'busybox', command: 'cat' }), { a: 1 })
  expect(ran.value).toEqual({ a: 1 })
})
