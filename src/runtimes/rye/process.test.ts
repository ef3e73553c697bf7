import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RyeTestBed } from '../../../test/helpers/rye-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import type { Json } from '../../tool/json.ts'

let bed: RyeTestBed
let count = 0

beforeAll(() => {
  bed = new RyeTestBed({ config: { env: { expose: ['SHOWN'] } } })
  process.env['SHOWN'] = 'shown'
  process.env['NOT_SHOWN'] = 'secret'
})
afterAll(async () => {
  delete process.env['SHOWN']
  delete process.env['NOT_SHOWN']
  await bed.close()
})

function script(code: string, given = {}) {
  return bed.tool('python/script', bed.write(`.ai/tools/s${++count}/tool.py`, code), {
    entry: 'script',
    ...given,
  })
}

function bash(code: string, given = {}) {
  return bed.tool('bash/bash', bed.write(`.ai/tools/b${++count}/tool.sh`, code), {
    entry: 'script',
    ...given,
  })
}

/** A data tool on the subprocess primitive alone. */
function subprocess(config: { readonly [key: string]: Json }, given = {}) {
  const file = bed.write(`.ai/tools/d${++count}/tool.yaml`, 'x: 1')
  return bed.toolOn({ executor_id: null }, null, file, { codeFile: null, config, ...given })
}

const echo =
  'import json, sys\nprint(json.dumps({"success": True, "in": json.load(sys.stdin), "argv": sys.argv[1:]}))'

describe('python/script', () => {
  it('gets the params on stdin and only the flags its text mentions', async () => {
    expect((await bed.run(script(echo), { a: 1 })).value).toEqual({ success: true, in: { a: 1 }, argv: [] })
    const older = await bed.run(script(`# --params and --project-path\n${echo}`), { a: 1 })
    expect(older.value.argv).toEqual(['--project-path', bed.dir, '--params', '{"a":1}'])
  })

  it('takes helpers from their sources, whatever bytecode lies beside them', async () => {
    const tool = script('import json, helper\nprint(json.dumps({"success": True, "word": helper.word}))')
    const folder = `.ai/tools/s${count}`
    const file = bed.write(`${folder}/helper.py`, 'word = "planted"\n')
    // Bytecode that is believed without a look at its source.
    execFileSync('python3', [
      '-c',
      'import py_compile, sys; py_compile.compile(sys.argv[1], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)',
      file,
    ])
    bed.write(`${folder}/helper.py`, 'word = "checked"\n')
    expect(readdirSync(join(bed.dir, folder, '__pycache__'))).toHaveLength(1)
    expect((await bed.run(tool)).value).toEqual({ success: true, word: 'checked' })
  })

  it('refuses params too long for a command line', async () => {
    verifies('R38')
    const ran = await bed.run(script(`# --params\n${echo}`), { a: 'x'.repeat(100_001) })
    expect(ran.error).toMatchObject({ code: 'PARAMS_INVALID' })
    expect((await bed.run(script(echo), { a: 'x'.repeat(100_001) })).value.in.a).toHaveLength(100_001)
  })

  it('starts from a clean environment plus what is exposed', async () => {
    verifies('R38')
    const { value } = await bed.run(
      script('import os, json\nprint(json.dumps({"success": True, "env": dict(os.environ)}))'),
    )
    expect(value.env).toMatchObject({ SHOWN: 'shown', TOOLCRIB_PROJECT_PATH: bed.dir })
    expect(value.env).not.toHaveProperty('NOT_SHOWN')
  })

  it('calls a file without a main block like a function when it has one', async () => {
    const file = bed.write(`.ai/tools/s${++count}/tool.py`, 'def main(a): return {"success": True, "a": a}')
    const tool = bed.tool('python/script', file, { entry: 'function', entryName: 'main' })
    expect((await bed.run(tool, { a: 2 })).value).toEqual({ success: true, a: 2 })
  })
})

describe('what is printed', () => {
  it.each([
    ['{\n "success": true,\n "n": 1\n}', { success: true, n: 1 }, []],
    ['log one\n\nlog two\n{"success": true}\n\n', { success: true }, ['log one', 'log two']],
    ['plain\ntext\n', { success: true, output: 'plain\ntext' }, []],
    ['plain\n\n', { success: true, output: 'plain\n' }, []],
    ['', { success: true, output: '' }, []],
    ['[1, 2]', { success: true, output: '[1, 2]' }, []],
    ['{"a": 1} trailing', { success: true, output: '{"a": 1} trailing' }, []],
    ['::progress 1/2\ntext', { success: true, output: 'text' }, []],
  ])('%j is read', async (text, value, logs) => {
    verifies('R41')
    const ran = await bed.run(bash('printf %s "$PARAM_TEXT"'), { text })
    expect(ran.value).toEqual(value)
    expect(ran.logs.map((line) => line.message)).toEqual(logs)
  })

  it('fails on a non-zero exit even if the result says success', async () => {
    verifies('R43')
    const ran = await bed.run(bash('echo \'{"success": true, "n": 1}\'; echo broken >&2; exit 3'))
    expect(ran.error).toMatchObject({
      code: 'TOOL_FAILED',
      message: 'broken',
      details: { exit_code: 3, result: { success: true, n: 1 } },
      retryable: false,
    })
    expect(ran.meta).toMatchObject({ exit_code: 3 })
  })

  it('takes the error of the result before stderr, and the last 2000 characters of stderr', async () => {
    verifies('R43')
    expect((await bed.run(bash('echo \'{"error": "mine"}\'; echo other >&2; exit 1'))).error?.message).toBe(
      'mine',
    )
    const long = await bed.run(bash('head -c 5000 /dev/zero | tr "\\0" a >&2; echo END >&2; exit 1'))
    expect(long.error?.message).toHaveLength(2000)
    expect(long.error?.message).toMatch(/END$/)
  })

  it('says by which signal a process ended, and that it may be tried again', async () => {
    verifies('R43', 'R48')
    expect((await bed.run(bash('kill -SEGV $$'))).error).toMatchObject({
      code: 'TOOL_FAILED',
      details: { signal: 'SIGSEGV' },
      retryable: true,
    })
  })

  it('logs stderr and passes progress on', async () => {
    const ran = await bed.run(
      bash(
        'echo note >&2; echo "::progress 3/4 nearly" >&2; echo "::progress 4/4"; echo \'{"success":true}\'',
      ),
    )
    expect(ran.logs.map((line) => line.message)).toEqual(['note'])
    expect(ran.progress).toEqual(
      expect.arrayContaining([
        { done: 3, total: 4, message: 'nearly' },
        { done: 4, total: 4 },
      ]),
    )
  })

  it('stops a flood of output', async () => {
    const ran = await bed.run(bash('yes'), {}, { profile: { outputBytes: 100_000 } })
    expect(ran.error).toMatchObject({ code: 'OUTPUT_TOO_LARGE' })
  })

  it('ends the whole group on timeout', async () => {
    verifies('R46')
    const tool = bash(`sleep 61 & echo $! > ${bed.dir}/sleeper; trap "" TERM; while :; do sleep 0.05; done`)
    const ran = await bed.run(tool, {}, { timeoutMs: 300 })
    expect(ran.error).toMatchObject({ code: 'TIMEOUT', retryable: true })
    const pid = Number(readFileSync(join(bed.dir, 'sleeper'), 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow()
  })

  it('ends what is still running in the group when the script itself is done', async () => {
    const ran = await bed.run(bash('sleep 61 & echo "{\\"success\\":true,\\"pid\\":$!}"'))
    await expect.poll(() => alive(ran.value.pid)).toBe(false)
  })
})

function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('bash', () => {
  it('gets scalars as PARAM_ variables and everything on stdin, whatever its shebang says', async () => {
    const tool = bash(
      '#!/usr/bin/python3\nin=$(cat); [[ -n $BASH ]] && printf "%s|%s|%s" "$PARAM_MY_NAME" "$PARAM_N" "$in"',
    )
    expect((await bed.run(tool, { 'my-name': '$(id) `id`', n: 2, list: [1] })).value.output).toBe(
      '$(id) `id`|2|{"my-name":"$(id) `id`","n":2,"list":[1]}',
    )
  })

  it('runs the command of a data file as shell text, its paths as variables', async () => {
    const file = bed.write(`.ai/tools/b${++count}/tool.yaml`, 'x: 1')
    const tool = bed.tool('bash/bash', file, {
      codeFile: null,
      config: { command: 'echo "${PARAM_A} {project_path}" | tr a-z A-Z; echo {a,b} {unknown}', args: [] },
    })
    expect((await bed.run(tool, { a: 'x' })).value.output).toBe(`X ${bed.dir.toUpperCase()}\na b {unknown}`)
  })
})

describe('subprocess', () => {
  const show = {
    command: 'python3',
    args: [
      '-c',
      'import sys, json; print(json.dumps({"success": True, "argv": sys.argv[1:], "in": sys.stdin.read()}))',
    ],
  }
  const withArgs = (...args: Json[]) => ({ ...show, args: [...show.args, ...args] })

  it('passes arguments as they are, objects as JSON, and leaves out those without a value', async () => {
    verifies('R34', 'R35')
    const tool = subprocess(
      withArgs('{name}', '--x={name}', '{list}', '{absent}', '--y={absent}', '{other}', '{{name}}', 'a;b'),
      {
        declaredParams: ['name', 'list', 'absent'],
      },
    )
    const { value } = await bed.run(tool, { name: '; rm -rf "$HOME" {list}', list: [1, { a: 2 }] })
    expect(value.argv).toEqual([
      '; rm -rf "$HOME" {list}',
      '--x=; rm -rf "$HOME" {list}',
      '[1,{"a":2}]',
      '{other}',
      '{name}',
      'a;b',
    ])
  })

  it('gives stdin from input_data, else the params', async () => {
    verifies('R29')
    expect((await bed.run(subprocess({ ...show, input_data: 'n={n}' }), { n: 5 })).value.in).toBe('n=5')
    expect((await bed.run(subprocess({ ...show, stdin: '{params_json}' }), { n: 5 })).value.in).toBe(
      '{"n":5}',
    )
    expect((await bed.run(subprocess(show), { n: 5 })).value.in).toBe('{"n":5}')
  })

  it('never lets a param choose the program', async () => {
    verifies('R35')
    const ran = await bed.run(subprocess({ command: '{program}' }), { program: 'id' })
    expect(ran.error).toMatchObject({ code: 'COMMAND_NOT_FOUND' })
  })

  it('expands variables from .env files before exposed ones, and warns of unset ones', async () => {
    verifies('R33')
    bed.write('.ai/.env', 'LAYER=ai\nONLY_AI="from ai" # note\n')
    bed.write('.env', 'export LAYER=project\nSHOWN=over')
    bed.write('.env.local', "LAYER='local'\n")
    bed.write('.home/.ai/.env', 'LAYER=user\nUSER_ONLY=u\n')
    const tool = subprocess(
      withArgs('${LAYER} ${ONLY_AI} ${USER_ONLY} ${SHOWN} ${NOPE:-d} [${NOT_SHOWN}] ${A_B:-{n}}'),
    )
    const ran = await bed.run(tool, { n: 1 })
    expect(ran.value.argv).toEqual(['local from ai u over d [] 1'])
    expect(ran.logs).toContainEqual(
      expect.objectContaining({ data: { code: 'env-unset', name: 'NOT_SHOWN' } }),
    )
  })

  it('expands configuration keys in rounds and names of paths', async () => {
    verifies('R34')
    const tool = subprocess({
      ...withArgs('{base}/x', '{tool_dir}', '{request_id}', '{n}'),
      base: '{root}/b',
      root: '{project_path}',
      n: 'config',
    })
    const { value } = await bed.run(tool, { n: 'param', root: 'param', tool_dir: 'param' })
    expect(value.argv).toEqual([`${bed.dir}/b/x`, join(bed.dir, `.ai/tools/d${count}`), 'run-1', 'config'])
    const { value: own } = await bed.run(tool, { request_id: 'mine' })
    expect(own.argv[2]).toBe('mine')
  })

  it('runs in config.cwd and reports a program that is missing', async () => {
    verifies('R29')
    bed.write('sub/x', '')
    expect((await bed.run(subprocess({ command: 'pwd', cwd: 'sub' }))).value.output).toBe(
      join(bed.dir, 'sub'),
    )
    expect((await bed.run(subprocess({ command: 'no-such-program-here' }))).error).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
    })
    expect((await bed.run(subprocess({}))).error).toMatchObject({ code: 'TOOL_NOT_CALLABLE' })
    expect((await bed.run(subprocess({ command: 'pwd', cwd: 'absent' }))).error?.code).toMatch(/COMMAND_/)
  })

  it('refuses what no process can be given', async () => {
    const tool = subprocess(withArgs('{a}'), { declaredParams: ['a'] })
    expect((await bed.run(tool, { a: 'x\0y' })).error).toMatchObject({ code: 'PARAMS_INVALID' })
    expect((await bed.run(tool, { a: 'x'.repeat(200_000) })).error).toMatchObject({ code: 'PARAMS_INVALID' })
    expect((await bed.run(subprocess(show), { a: 'x\0y' })).value.in).toContain('u0000')
  })

  it('shows in a dry run what it would start, and starts nothing', async () => {
    verifies('R27')
    const plan = await bed.plan(
      subprocess({ command: 'sh', args: ['-c', `touch ${bed.dir}/started`, '{n}'] }),
      { n: 1 },
    )
    expect(plan).toMatchObject({
      binary: 'sh',
      resolvedBinary: expect.stringMatching(/^\/.*sh$/),
      argv: ['-c', `touch ${bed.dir}/started`, '1'],
      cwd: bed.dir,
      env: expect.arrayContaining(['PARAM_N', 'PATH']),
      stdin: '{"n":1}',
    })
    expect(() => readFileSync(join(bed.dir, 'started'))).toThrow()
  })
})

describe('a language added by one file', () => {
  const entry = {
    executor_id: 'subprocess',
    env_config: { interpreter: { type: 'system_binary', binary: 'awk', var: 'MY_AWK' } },
    config: { command: '${MY_AWK}', args: ['-f', '{tool_path}'], input_data: '{params_json}' },
  }

  it('runs its files', async () => {
    verifies('R29', 'R30')
    const file = bed.write(`.ai/tools/l${++count}/x.awk`, '{ print "awk got " $0 }')
    const tool = bed.toolOn(entry, join(bed.dir, '.ai/tools/awk.yaml'), file, { entry: 'script' })
    expect((await bed.run(tool, { a: 1 })).value.output).toBe('awk got {"a":1}')
  })

  it('is RUNTIME_MISSING with all that was tried when its interpreter is not there', async () => {
    verifies('R30')
    const missing = {
      ...entry,
      env_config: {
        interpreter: { type: 'system_binary', binary: 'no-lang', var: 'NO_LANG', fallback: 'no-lang2' },
      },
    }
    const file = bed.write(`.ai/tools/l${++count}/x.nl`, '')
    const ran = await bed.run(bed.toolOn(missing, null, file, { entry: 'script' }))
    expect(ran.error).toMatchObject({ code: 'RUNTIME_MISSING' })
    expect(ran.error?.message).toMatch(/\$NO_LANG.*no-lang on PATH.*no-lang2 on PATH/)
  })
})
