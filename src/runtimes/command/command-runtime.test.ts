// The exec layer with real processes: what is started, from which environment, and what comes back.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  argvOf,
  argvStub,
  type RunOptions,
  ToolsJsonTestBed,
} from '../../../test/helpers/tools-json-test-bed.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { programDigest } from '../../files/file-digests.ts'
import type { Fence } from '../../sandbox/fence.ts'
import { openFence } from '../../sandbox/open-fence.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'

let bed: ToolsJsonTestBed
beforeEach(() => {
  bed = new ToolsJsonTestBed()
  bed.program('stub', argvStub)
})
afterEach(() => bed.close())

interface Setup {
  readonly binary?: string
  readonly sub?: string
  readonly args?: readonly object[]
  readonly more?: object
  readonly allow?: object
  readonly parameters?: object
  readonly tool?: object
}

function tool(setup: Setup = {}): Tool {
  const { binary = 'stub', sub = '' } = setup
  const names = (setup.args ?? []).flatMap((arg) => ('param' in arg ? [arg.param as string] : []))
  bed.skill('s', {
    tools: [
      {
        name: 't',
        parameters: setup.parameters ?? {
          type: 'object',
          properties: Object.fromEntries(names.map((name) => [name, {}])),
          additionalProperties: true,
        },
        ...setup.tool,
      },
    ],
    allowlist: { [binary]: [sub], ...setup.allow },
    execution: [{ tool: 't', binary, subcommand: sub, args: setup.args ?? [], ...setup.more }],
  })
  return bed.load({ allowScripts: true }).tools.find((each) => each.id === 't')!
}

const run = (setup: Setup, args: unknown = {}, options: RunOptions = {}) =>
  bed.run(tool(setup), args, { ...options, skills: { allowScripts: true, ...options.skills } })
const program = (name: string, body: string) => bed.program(name, `#!/bin/sh\n${body}\n`)
const script = (name: string, body: string) => bed.write(`skills/s/scripts/${name}`, body)
const marker = () => join(bed.project, 'started')

describe('the allowlist', () => {
  it('is tested again at each run, on the exact pair that would start', async () => {
    verifies('T19', 'T41')
    program('stub', `touch ${marker()}`)
    const given = tool({ sub: 'go' })
    const plan = planOf(given, 'command')!
    for (const allowlist of [{}, { stub: ['Go', 'go ', ''] }, { other: ['go'] }]) {
      const changed: Tool = { ...given, runtime: { name: 'command', plan: { ...plan, allowlist } as never } }
      expect(await bed.run(changed, {})).toMatchObject({ error: { code: 'COMMAND_NOT_ALLOWED' } })
    }
    expect(existsSync(marker())).toBe(false)
  })

  it('covers the subcommand an override puts in place', async () => {
    verifies('T19', 'T49')
    const given = tool({
      sub: 'a',
      allow: { stub: ['a', 'b'] },
      args: [{ param: 'f', kind: 'flagifboolean', subcommandOverride: 'b' }],
    })
    const plan = planOf(given, 'command')!
    const changed: Tool = {
      ...given,
      runtime: { name: 'command', plan: { ...plan, allowlist: { stub: ['a'] } } as never },
    }
    expect(await bed.run(changed, { f: true })).toMatchObject({ error: { code: 'COMMAND_NOT_ALLOWED' } })
    expect(argvOf((await bed.run(changed, {})).value)).toEqual(['a'])
  })

  it("is the skill's own: another skill's does not count", async () => {
    verifies('T41')
    bed.skill('generous', { tools: [], allowlist: { stub: ['x'] }, execution: [] })
    const given = tool({ sub: 'x', allow: { stub: ['y'] } })
    expect(given.problems).toMatchObject([{ code: 'subcommand-not-allowlisted' }])
    expect(await bed.run(given, {})).toMatchObject({ error: { code: 'COMMAND_NOT_ALLOWED' } })
  })
})

describe('nothing starts', () => {
  it('before validation has passed, not even a resolver', async () => {
    verifies('T24')
    program('stub', `touch ${marker()}`)
    script('mark.sh', `touch ${marker()}\necho x`)
    const setup = {
      args: [
        { param: 'a', resolveCommand: { script: 'mark' } },
        { param: 'b', kind: 'flag' },
      ],
      parameters: { type: 'object', properties: { a: {}, b: { type: 'integer' } } },
    }
    for (const args of [{ a: 'x', b: 'y' }, { a: 'x', c: 1 }, { a: { x: 1 } }, { a: 'x', b: 1e300 }])
      expect(await run(setup, args)).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(existsSync(marker())).toBe(false)
  })

  it('when the fence cannot be put up', async () => {
    verifies('T41')
    program('stub', `touch ${marker()}`)
    script('mark.sh', `touch ${marker()}\necho x`)
    const fence: Fence = {
      wrap: () => {
        throw new ToolError('SANDBOX_UNAVAILABLE', 'no fence here')
      },
      layers: () => [],
      close: () => {},
    }
    for (const args of [[], [{ param: 'a', absentDefault: 'v', resolveCommand: { script: 'mark' } }]])
      expect(await run({ args }, {}, { fence })).toMatchObject({ error: { code: 'SANDBOX_UNAVAILABLE' } })
    expect(existsSync(marker())).toBe(false)
  })

  it('through a shell: the program is started itself, with the fence over command, resolver and post-processor', async () => {
    verifies('T41')
    const started: string[][] = []
    const fence: Fence = {
      wrap: (spec) => {
        started.push([spec.file, spec.argv0 ?? '', ...spec.args])
        return { spec, enforcement: { layers: [], dimensions: {} } }
      },
      layers: () => [],
      close: () => {},
    }
    const sh = readlinkSync('/bin/sh').includes('/')
      ? readlinkSync('/bin/sh')
      : `/usr/bin/${readlinkSync('/bin/sh')}`
    const file = script('wrap.sh', 'printf "<%s>" "$1"')
    await run(
      {
        args: [{ param: 'a', resolveCommand: { script: 'wrap', args: ['$param'] } }],
        more: { postProcess: { binary: 'cat', subcommand: '' } },
        allow: { cat: [''] },
      },
      { a: '; touch x' },
      { fence },
    )
    expect(started.map((each) => each.slice(1))).toEqual([
      ['sh', file, '; touch x'],
      ['stub', '<; touch x>'],
      ['cat'],
    ])
    expect(started[0]![0]).toBe(sh)
    expect(started[1]![0]).toBe(join(bed.bin, 'stub'))
  })
})

describe('normalizeNewlines', () => {
  it.each(['positional', 'flag', 'stdin', 'tempfile'])(
    'serves %s and runs before the resolver',
    async (kind) => {
      verifies('T34')
      program(
        'show',
        'for arg in "$@"; do if [ -f "$arg" ]; then cat "$arg"; else printf %s "$arg"; fi; done; cat',
      )
      script('wrap.sh', 'printf "[%s]" "$1"')
      const result = await run(
        {
          binary: 'show',
          args: [
            {
              param: 'v',
              kind,
              flag: 'f',
              normalizeNewlines: true,
              resolveCommand: { script: 'wrap', args: ['$param'] },
            },
          ],
        },
        { v: 'a\\nb\\tc\\rd' },
      )
      expect(String(result.value).replace('-f', '')).toBe('[a\nb\tc\\rd]')
    },
  )

  it('and resolveCommand serve neither flagifboolean nor literal', async () => {
    verifies('T34')
    script('wrap.sh', 'printf "[%s]" "$1"')
    const helper = { normalizeNewlines: true, resolveCommand: { script: 'wrap', args: ['$param'] } }
    const result = await run(
      {
        args: [
          { kind: 'literal', value: 'a\\nb', ...helper },
          { param: 'b', kind: 'flagifboolean', flagIfTrue: 'c\\nd', ...helper },
        ],
      },
      { b: true },
    )
    expect(argvOf(result.value)).toEqual(['a\\nb', 'c\\nd'])
    expect(result.warnings).toEqual([])
  })
})

describe('resolveCommand', () => {
  const wrap = (...args: readonly string[]) => ({ script: 'wrap', args })
  beforeEach(() => {
    script('wrap', 'printf "[%s]" "$*"')
  })

  it('of an optional positional closes no gap before it unless it gives a value', async () => {
    verifies('T30', 'T40')
    script('none.sh', '')
    script('some.sh', 'echo found')
    const args = (name: string) => [
      { param: 'a' },
      { param: 'b', optional: true, resolveCommand: { script: name } },
    ]
    expect(argvOf((await run({ args: args('none') })).value)).toEqual([])
    expect(await run({ args: args('some') })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(argvOf((await run({ args: args('some') }, { a: 'x' })).value)).toEqual(['x', 'found'])
  })

  it.each([
    [['$param'], 'v', '[v]'],
    [['a-$param-$param'], 'v', '[a-v-v]'],
    [['$parameter', '$name', '$'], 'v', '[veter $name $]'],
    [['$param'], '$&$1$$', '[$&$1$$]'],
    [['x$param'], '$param', '[x$param]'],
  ])('puts the value into %j literally', async (args, p, expected) => {
    verifies('T35')
    expect(
      argvOf((await run({ args: [{ param: 'p', resolveCommand: wrap(...args) }] }, { p })).value),
    ).toEqual([expected])
  })

  it('refuses a value the resolver would take for an option, and does not start it', async () => {
    verifies('T35', 'T49')
    script('mark', `touch ${marker()}\necho x`)
    const args = (more: object, first = '$param') => [
      { param: 'p', kind: 'flag', resolveCommand: { script: 'mark', args: [first] }, ...more },
    ]
    expect(await run({ args: args({}) }, { p: '-x' })).toMatchObject({
      error: { code: 'COMMAND_ARG_REFUSED' },
    })
    expect(existsSync(marker())).toBe(false)
    expect((await run({ args: args({ allowLeadingDash: true }) }, { p: '-x' })).error).toBeUndefined()
    expect((await run({ args: args({}, '=$param') }, { p: '-x' })).error).toBeUndefined()
  })

  it('runs scripts by sh, with or without .sh, whatever their mode and first line', async () => {
    verifies('T36')
    script('plain', '#!/no/such/interpreter\necho plain')
    script('both', 'echo exact')
    script('both.sh', 'echo appended')
    script('only.sh', 'echo appended')
    const value = async (name: string) =>
      argvOf((await run({ args: [{ param: 'p', resolveCommand: { script: name } }] }, { p: 'v' })).value)
    expect(await value('plain')).toEqual(['plain'])
    expect(await value('both')).toEqual(['exact'])
    expect(await value('only')).toEqual(['appended'])
  })

  it('runs an allowlisted command with the tokens of its subcommand', async () => {
    verifies('T36')
    const result = await run(
      {
        args: [{ param: 'p', resolveCommand: { binary: 'echo', subcommand: '-n  a', args: ['<$param>'] } }],
        allow: { echo: ['-n  a'] },
      },
      { p: 'v' },
    )
    expect(argvOf(result.value)).toEqual(['a <v>'])
  })

  it('runs no script outside its folder, by no trick', async () => {
    verifies('T37')
    const outside = join(dirname(bed.project), 'outside.sh')
    writeFileSync(outside, `touch ${marker()}\necho outside`)
    symlinkSync(outside, join(bed.project, 'skills/s/scripts/link'))
    symlinkSync('wrap', join(bed.project, 'skills/s/scripts/inner'))
    mkdirSync(join(bed.project, 'skills/s/scripts/folder'))
    bed.write('skills/s/beside.sh', `touch ${marker()}\necho beside`)
    const given = tool({ args: [{ param: 'p', resolveCommand: { script: 'wrap', args: ['$param'] } }] })
    const plan = planOf(given, 'command')!
    const named = async (name: string) => {
      const args = plan.entries[0]!.args.map((arg) => ({
        ...arg,
        resolveCommand: { script: name, args: ['$param'] },
      }))
      const changed: Tool = {
        ...given,
        runtime: { name: 'command', plan: { ...plan, entries: [{ ...plan.entries[0], args }] } as never },
      }
      return bed.run(changed, { p: 'v' }, { skills: { allowScripts: true } })
    }
    for (const name of [
      'link',
      'folder',
      '../beside.sh',
      '..',
      '.',
      '',
      '/bin/true',
      `..${'/..'.repeat(9)}${outside}`,
      'a\0',
    ]) {
      const result = await named(name)
      expect(argvOf(result.value)).toEqual(['v'])
      expect(result.warnings).toHaveLength(1)
    }
    expect(argvOf((await named('inner')).value)).toEqual(['[v]'])
    expect(existsSync(marker())).toBe(false)
  })

  it('runs no script when the scripts folder itself leads out', async () => {
    verifies('T37')
    const far = join(dirname(bed.project), 'far')
    mkdirSync(far)
    writeFileSync(join(far, 'x.sh'), `touch ${marker()}\necho far`)
    bed.skill('other', {
      tools: [{ name: 'o', parameters: { type: 'object', properties: { p: {} } } }],
      allowlist: { stub: [''] },
      execution: [
        {
          tool: 'o',
          binary: 'stub',
          subcommand: '',
          args: [{ param: 'p', resolveCommand: { script: 'x' } }],
        },
      ],
    })
    symlinkSync(far, join(bed.project, 'skills/other/scripts'))
    const given = bed.load().tools.find((each) => each.id === 'o')!
    const result = await bed.run(given, { p: 'v' }, { skills: { allowScripts: true } })
    expect(argvOf(result.value)).toEqual(['v'])
    expect(result.warnings).toHaveLength(1)
    expect(existsSync(marker())).toBe(false)
  })

  it('takes trimmed output as one value; stderr goes to the log; input is empty', async () => {
    verifies('T38')
    script('talks', 'cat; echo aside >&2; printf "\\n  a  b\\nc \\n\\n"; printf "" ')
    const result = await run({ args: [{ param: 'p', resolveCommand: { script: 'talks' } }] }, { p: 'v' })
    expect(argvOf(result.value)).toEqual(['a  b\nc'])
    expect(result.logs).toContain('aside')
    expect(result.warnings).toEqual([])
  })

  it('gives a resolver the environment and folder of the command, and its own time limit', async () => {
    verifies('T38', 'T42')
    vi.stubEnv('A_SECRET', 'hidden')
    mkdirSync(join(bed.project, 'sub'))
    script('where', 'printf "%s %s" "$PWD" "${A_SECRET:-none}"')
    script('slow', 'sleep 20')
    const args = [
      { param: 'd', kind: 'workingdir' },
      { param: 'p', resolveCommand: { script: 'where' } },
    ]
    expect(argvOf((await run({ args }, { p: 'v', d: 'sub' })).value)).toEqual([`${bed.project}/sub none`])
    const slow = await run(
      { args: [{ param: 'p', resolveCommand: { script: 'slow', timeoutMs: 50 } }] },
      { p: 'v' },
    )
    expect(slow.warnings).toMatchObject([expect.stringContaining('50 ms')])
    vi.unstubAllEnvs()
  })

  it.each([
    ['scripts are off', { script: 'wrap' }, { allowScripts: false }, /scripts are off/],
    ['the pair is not allowed', { binary: 'echo', subcommand: 'x' }, {}, /not in the allowlist/],
    ['there is no script', { script: 'nothing' }, {}, /no script/],
    ['the program is missing', { binary: 'no-such-program', subcommand: '' }, {}, /not found/],
    ['it exits with 1', { script: 'fails' }, {}, /exit code 1/],
    ['it dies by a signal', { script: 'dies' }, {}, /SIGKILL/],
    ['it prints too much', { script: 'floods' }, { maxOutputBytes: 100 }, /too long/],
    ['it prints only blanks', { script: 'blank' }, {}, /nothing/],
  ])('keeps the value when %s, with a warning that says so', async (_, resolveCommand, skills, reason) => {
    verifies('T39')
    script('fails', 'echo ignored; exit 1')
    script('dies', 'kill -KILL $$')
    script('floods', 'yes | head -c 5000')
    script('blank', 'printf " \\n\\t"')
    const result = await run(
      { args: [{ param: 'p', resolveCommand }], allow: { 'no-such-program': [''] } },
      { p: 'v' },
      { skills },
    )
    expect(argvOf(result.value)).toEqual(['v'])
    expect(result.warnings).toMatchObject([expect.stringMatching(reason)])
    expect(result.warnings[0]).toMatch(/^t: .*"p"/)
  })
})

describe('output steps', () => {
  it('run in order: postProcess, maxOutputLines, hints', async () => {
    verifies('T40')
    program('lines', 'printf "c\\nb\\na\\n"')
    const result = await run({
      binary: 'lines',
      allow: { sort: [''] },
      more: {
        postProcess: { binary: 'sort', subcommand: '' },
        maxOutputLines: 2,
        hintConditions: [{ match: 'c', hint: 'seen' }],
      },
    })
    expect(result.value).toBe('a\nb\n\n[2 of 3 lines shown, 1 omitted]\n\nhint: seen')
  })

  it('do not follow a failed run', async () => {
    verifies('T40')
    program('fails', 'echo out; exit 4')
    script('mark', `touch ${marker()}`)
    const result = await run({
      binary: 'fails',
      more: { postProcess: { script: 'mark' }, hintConditions: [{ exitCode: 'nonzero', hint: 'h' }] },
    })
    expect(result.error).toMatchObject({
      code: 'COMMAND_FAILED',
      message: expect.not.stringContaining('hint'),
    })
    expect(existsSync(marker())).toBe(false)
  })

  it.each([
    [3, 'a\nb\nc\n'],
    [2, 'a\nb\n\n[2 of 3 lines shown, 1 omitted]'],
  ])('keep %i lines', async (maxOutputLines, expected) => {
    verifies('T40')
    program('lines', 'printf "a\\nb\\nc\\n"')
    expect((await run({ binary: 'lines', more: { maxOutputLines } })).value).toBe(expected)
  })

  it('hand the output, the exit code and parameters to the post-processor, and take its words as they are', async () => {
    verifies('T40', 'T42')
    program('ends', 'printf " out "; exit 3')
    script('post', 'printf "%s|" "$CHAI_EXIT_CODE" "$@"; cat; printf " \\n"')
    const setup = {
      binary: 'ends',
      parameters: { type: 'object', properties: { a: {}, b: {}, l: {} } },
      more: { successExitCodes: [3], postProcess: { script: 'post', args: ['$a', '$b', 'x$a', '$l', '$'] } },
    }
    const result = await run(setup, { a: 'A b', l: [1, 'x'] })
    expect(result.value).toBe('3|A b||x$a|[1,"x"]|$| out  \n')
  })

  it.each([
    ['fails', 'exit 1', {}],
    ['prints nothing', ':', {}],
    ['is not there', undefined, {}],
    ['would take a parameter for an option', 'echo x', { a: '-x' }],
    ['cannot be given a parameter with a NUL', 'echo x', { a: 'a\0b' }],
    ['cannot be given a parameter so long', 'echo x', { a: 'x'.repeat(131_072) }],
  ])('keep the output when the post-processor %s', async (_, body, args) => {
    verifies('T40')
    if (body !== undefined) script('post', body)
    const result = await run(
      {
        parameters: { type: 'object', properties: { a: {} } },
        args: [{ kind: 'literal', value: 'kept' }],
        more: { postProcess: { script: 'post', args: ['$a'] } },
      },
      args,
    )
    expect(argvOf(result.value)).toEqual(['kept'])
    expect(result.warnings).toHaveLength(1)
  })

  it('may be made empty where emptyIsResult says so', async () => {
    verifies('T40')
    script('post', ':')
    const result = await run({
      args: [{ kind: 'literal', value: 'gone' }],
      more: { postProcess: { script: 'post', emptyIsResult: true } },
    })
    expect(result).toMatchObject({ value: '', warnings: [] })
  })

  it.each([
    [{ match: 'o+k' }, true],
    [{ match: '^nothing$' }, false],
    [{ exitCode: 2 }, true],
    [{ exitCode: 0 }, false],
    [{ exitCode: 'nonzero' }, true],
    [{ notEmpty: true }, true],
    [{ whenArg: { n: 5 } }, true],
    [{ whenArg: { n: '5' } }, false],
    [{ whenArg: { other: true } }, false],
    [{ match: 'ok', whenArg: { n: 6 } }, false],
    [{ match: 'ok', exitCode: 2, notEmpty: true, whenArg: { n: 5 } }, true],
    [{}, false],
    [{ match: '^(o|ok|k)*(oo)+!$' }, false],
  ])('fire the hint %j: %s', async (condition, isFired) => {
    verifies('T40')
    program('says', 'printf ook; exit 2')
    const result = await run(
      {
        binary: 'says',
        parameters: { type: 'object', properties: { n: {} } },
        more: { successExitCodes: [2], hintConditions: [{ ...condition, hint: 'see {n} and {other}' }] },
      },
      { n: 5 },
    )
    expect(result.value).toBe(isFired ? 'ook\n\nhint: see 5 and {other}' : 'ook')
  })

  it('append each hint on its own', async () => {
    verifies('T40')
    program('says', 'printf ook')
    const hintConditions = [
      { notEmpty: true, hint: 'one' },
      { exitCode: 0, hint: 'two' },
    ]
    expect((await run({ binary: 'says', more: { hintConditions } })).value).toBe(
      'ook\n\nhint: one\n\nhint: two',
    )
  })

  it('stand one blank line below a text that ends with a line end', async () => {
    verifies('T40')
    program('says', 'echo ook')
    const hintConditions = [{ notEmpty: true, hint: 'one' }]
    expect((await run({ binary: 'says', more: { hintConditions } })).value).toBe('ook\n\nhint: one')
  })

  it('judge JSON before hints; a hint that has no text to stand in goes to the log', async () => {
    verifies('T40', 'T47')
    program('says', 'printf \'{"a": 1}\'')
    const result = await run({ binary: 'says', more: { hintConditions: [{ notEmpty: true, hint: 'h' }] } })
    expect(result).toMatchObject({ value: { a: 1 }, logs: ['hint: h'] })
  })
})

describe('the environment of a command', () => {
  it('is a few names of the host and those of skills.env, each only if set', async () => {
    verifies('T42')
    const names = {
      A_SECRET: 'x',
      LC_TIME: 'C',
      LC_ANYTHING: 'y',
      TZ: 'UTC',
      LANG: 'C',
      TMPDIR: '/tmp',
      SHOWN: 'z',
    }
    for (const [name, value] of Object.entries(names)) vi.stubEnv(name, value)
    program('shows', 'env | cut -d= -f1 | sort')
    const shown = (await run({ binary: 'shows' }, {}, { skills: { env: ['SHOWN', 'NOT_SET'] } })).value
    vi.unstubAllEnvs()
    // A shell adds these itself.
    const own = ['OLDPWD', 'PWD', 'SHLVL', '_']
    const seen = String(shown)
      .trim()
      .split('\n')
      .filter((name) => !own.includes(name))
    expect(seen).toEqual(['HOME', 'LANG', 'LC_ANYTHING', 'LC_TIME', 'PATH', 'SHOWN', 'TMPDIR', 'TZ'])
  })

  it('has the project as folder and empty input', async () => {
    verifies('T42')
    program('shows', 'pwd; wc -c')
    expect((await run({ binary: 'shows' })).value).toMatch(new RegExp(`^${bed.project}\n\\s*0\n$`))
  })
})

describe('denyPattern', () => {
  it.each(['positional', 'flag', 'stdin', 'tempfile', 'workingdir'])(
    'is asked again about what a resolver made of a %s',
    async (kind) => {
      verifies('T33')
      mkdirSync(join(bed.project, 'secret'))
      script('tell.sh', 'echo secret')
      const arg = { param: 'v', kind, denyPattern: 'secret', resolveCommand: { script: 'tell' } }
      expect(await run({ args: [arg] }, { v: 'x' })).toMatchObject({ error: { code: 'COMMAND_ARG_REFUSED' } })
    },
  )
})

describe('the program', () => {
  it('is looked up once, recorded by its real path, and started under its declared name', async () => {
    verifies('T43', 'T44')
    writeFileSync(join(bed.project, 'real-name'), '', { mode: 0o755 })
    program('real', ':')
    symlinkSync('/bin/bash', join(bed.bin, 'nick'))
    const result = await run({
      binary: 'nick',
      sub: '-c',
      args: [{ kind: 'literal', value: 'printf %s "$0"' }],
    })
    expect(result.value).toBe('nick')
    expect(result.meta['resolvedBinary']).toBe(
      execFileSync('readlink', ['-f', '/bin/bash'], { encoding: 'utf8' }).trim(),
    )
  })

  it('may be an absolute path', async () => {
    verifies('T43')
    const file = program('elsewhere', 'echo here')
    expect(await run({ binary: file })).toMatchObject({ value: 'here\n', meta: { resolvedBinary: file } })
  })

  it.each(['no-such-program', '/no/such/program', '/etc/passwd', '/tmp'])(
    '%s is not found',
    async (binary) => {
      verifies('T43', 'T49')
      expect(await run({ binary })).toMatchObject({
        error: { code: 'COMMAND_NOT_FOUND', message: expect.stringContaining(binary) },
      })
    },
  )

  it.each(['off', 'preferred'] as const)(
    'with a missing interpreter is not found, with the sandbox %s',
    async (mode) => {
      verifies('T49')
      bed.program('orphan', '#!/no/such/interpreter\n')
      bed.program('second', `#! ${join(bed.bin, 'orphan')} -x\n`)
      for (const binary of ['orphan', 'second']) {
        const fence = openFence({ mode, project: bed.project })
        expect(await run({ binary }, {}, { fence })).toMatchObject({
          error: { code: 'COMMAND_NOT_FOUND', message: expect.stringContaining('/no/such/interpreter') },
        })
      }
    },
  )

  it.each([
    ['a script without #!', `touch started\n`],
    ['a script with an empty #!', `#!\ntouch started\n`],
    ['bytes of no known kind', 'MZ\0\ntouch started\n'],
    ['an empty file', ''],
  ])('is not handed to a shell: %s', async (_, body) => {
    verifies('T41', 'T49')
    bed.program('odd', body)
    const setup = { args: [{ param: 'a', resolveCommand: { binary: 'odd', subcommand: '' } }] }
    expect(await run({ binary: 'odd' })).toMatchObject({
      error: { code: 'COMMAND_FAILED', message: expect.stringContaining(join(bed.bin, 'odd')) },
    })
    const asked = await run({ ...setup, allow: { odd: [''] } }, { a: 'v' })
    expect(argvOf(asked.value)).toEqual(['v'])
    expect(asked.warnings).toMatchObject([expect.stringMatching(/cannot start.*[^.]\.$/)])
    expect(existsSync(marker())).toBe(false)
  })

  it('must be the one the lock file pins', async () => {
    verifies('T44', 'T49')
    const file = join(bed.bin, 'stub')
    const digest = programDigest(file)!
    const pinned = (path: string, hash: string) =>
      run({}, {}, { pin: (_, binary) => (binary === 'stub' ? { path, digest: hash } : undefined) })
    expect((await pinned(file, digest)).error).toBeUndefined()
    expect(await pinned(file, 'f'.repeat(64))).toMatchObject({ error: { code: 'COMMAND_NOT_ALLOWED' } })
    expect(await pinned('/bin/other', digest)).toMatchObject({ error: { code: 'COMMAND_NOT_ALLOWED' } })
    writeFileSync(file, `${argvStub}# changed\n`)
    expect(await pinned(file, digest)).toMatchObject({ error: { code: 'COMMAND_NOT_ALLOWED' } })
  })
})

describe('streams', () => {
  it('are written and drained at once', async () => {
    verifies('T45')
    const text = 'x'.repeat(3_000_000)
    const result = await run(
      { binary: 'cat', args: [{ param: 'c', kind: 'stdin' }] },
      { c: text },
      { skills: { maxOutputBytes: 4_000_000 } },
    )
    expect(result.value === text).toBe(true)
    expect(result.meta['truncated']).toEqual({ stdout: false, stderr: false })
  })

  it('may be ignored by the program', async () => {
    verifies('T45')
    program('deaf', 'exec <&-; echo done')
    expect(
      await run({ binary: 'deaf', args: [{ param: 'c', kind: 'stdin' }] }, { c: 'x'.repeat(1_000_000) }),
    ).toMatchObject({ value: 'done\n' })
  })

  it('keep their first bytes, cut between characters, and say so', async () => {
    verifies('T45')
    program('floods', 'i=0; while [ $i -lt 2000 ]; do printf "ééééé"; printf "ééééé" >&2; i=$((i+1)); done')
    const result = await run({ binary: 'floods' }, {}, { skills: { maxOutputBytes: 1001 } })
    expect(result.error).toBeUndefined()
    expect(result.meta['truncated']).toEqual({ stdout: true, stderr: true })
    expect(result.value).toMatch(/^é{500}\n\[output truncated: only the first 1001 bytes are kept\]$/)
    expect(result.logs.join('\n')).toMatch(/truncated/)
  })

  it('are decoded as UTF-8 with replacement', async () => {
    verifies('T45')
    program('mixed', 'printf "a\\377b"')
    expect((await run({ binary: 'mixed' })).value).toBe('a\ufffdb')
  })
})

const aliveIn = (group: string) => {
  try {
    return execFileSync('ps', ['-o', 'pid=,stat=', '-g', group], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.includes('Z'))
  } catch {
    return []
  }
}

describe('time', () => {
  it.each([
    ['the execution entry', { more: { timeoutMs: 200 }, tool: { timeoutMs: 60_000 } }, {}, 200],
    ['else the tool', { tool: { timeoutMs: 210 } }, {}, 210],
    ['else the configuration', {}, { timeoutMs: 220 }, 220],
  ])('is limited by %s', async (_, setup, skills, limit) => {
    verifies('T46', 'T49')
    program('sleeps', 'exec sleep 30')
    expect(await run({ binary: 'sleeps', ...setup }, {}, { skills })).toMatchObject({
      error: { code: 'TIMEOUT', message: expect.stringContaining(`${limit} ms`) },
    })
  })

  it('that is over ends the whole group, what ignores TERM after two seconds', async () => {
    verifies('T46')
    program('stubborn', `trap '' TERM; echo $$ > ${marker()}; sleep 300 & sleep 300; sleep 300`)
    const before = Date.now()
    const result = await run({ binary: 'stubborn', more: { timeoutMs: 300 } })
    expect(result.error?.code).toBe('TIMEOUT')
    expect(Date.now() - before).toBeGreaterThan(2000)
    await vi.waitFor(() => expect(aliveIn(readFileSync(marker(), 'utf8').trim())).toEqual([]), 3000)
  })

  it('can be cut short by the caller', async () => {
    verifies('T46')
    program('sleeps', `echo $$ > ${marker()}; exec sleep 300`)
    const controller = new AbortController()
    const running = run({ binary: 'sleeps' }, {}, { signal: controller.signal })
    await vi.waitFor(() => expect(existsSync(marker()) && readFileSync(marker(), 'utf8')).toBeTruthy(), 5000)
    controller.abort()
    expect(await running).toMatchObject({ error: { code: 'CANCELLED' } })
    await vi.waitFor(() => expect(aliveIn(readFileSync(marker(), 'utf8').trim())).toEqual([]), 3000)
  })

  it("of two seconds is left to a child that holds a pipe after its parent; the parent's exit code counts", async () => {
    verifies('T46')
    program('parent', `(sleep 0.3; echo late) & echo early; exit 0`)
    expect(await run({ binary: 'parent' })).toMatchObject({ value: 'early\nlate\n', meta: { exitCode: 0 } })
    program('parent', `echo $$ > ${marker()}; sleep 300 & echo early; exit 0`)
    const before = Date.now()
    const result = await run({ binary: 'parent' })
    expect(result).toMatchObject({ value: 'early\n', meta: { exitCode: 0 } })
    expect(Date.now() - before).toBeGreaterThan(1900)
    await vi.waitFor(() => expect(aliveIn(readFileSync(marker(), 'utf8').trim())).toEqual([]), 3000)
  })
})

describe('results', () => {
  it.each([
    ['{"a": [1]}', { a: [1] }],
    [' [1, 2]\n', [1, 2]],
    ['5', '5'],
    ['"x"', '"x"'],
    ['{"a": 1} {"b": 2}', '{"a": 1} {"b": 2}'],
    ['  text \n\n', '  text \n\n'],
    ['', ''],
  ])('of %j are %j', async (printed, value) => {
    verifies('T47')
    bed.write('out.txt', printed)
    program('prints', 'cat out.txt')
    const result = await run({ binary: 'prints' })
    expect(result.value).toEqual(value)
    expect(result.meta).toEqual({
      exitCode: 0,
      truncated: { stdout: false, stderr: false },
      resolvedBinary: join(bed.bin, 'prints'),
    })
  })

  it('that were truncated are never parsed', async () => {
    verifies('T47')
    program('prints', 'printf "[1]%100s" ""')
    expect((await run({ binary: 'prints' }, {}, { skills: { maxOutputBytes: 10 } })).value).toMatch(
      /^\[1\] {7}\n\[output truncated/,
    )
  })

  it('keep stderr out of the value', async () => {
    verifies('T47')
    program('prints', 'echo value; echo aside >&2')
    expect(await run({ binary: 'prints' })).toMatchObject({ value: 'value\n', logs: ['aside'] })
  })

  it('count 0 and the listed exit codes as success', async () => {
    verifies('T47')
    program('ends', 'exit "$1"')
    const ended = (code: string) => run({ binary: 'ends', sub: code, more: { successExitCodes: [1, 7] } })
    for (const code of ['0', '1', '7'])
      expect(await ended(code)).toMatchObject({ value: '', meta: { exitCode: Number(code) } })
    expect(await ended('2')).toMatchObject({ error: { code: 'COMMAND_FAILED' }, meta: { exitCode: 2 } })
  })

  it.each([
    ['echo out; echo boom >&2; exit 3', /exit code 3: boom$/],
    ['echo out; exit 3', /exit code 3: out$/],
    ['exit 3', /exit code 3\.$/],
    ['kill -KILL $$', /SIGKILL/],
    ['printf "%5000s" end >&2; exit 1', /^.{1,60}: {1,1998}end$/],
  ])('of a failure tell the code or signal, then the end of stderr: %s', async (body, message) => {
    verifies('T48', 'T49')
    program('fails', body)
    const result = await run({ binary: 'fails' })
    expect(result.error).toMatchObject({ code: 'COMMAND_FAILED', message: expect.stringMatching(message) })
  })

  it('of a start that fails otherwise is COMMAND_FAILED', async () => {
    verifies('T49')
    const many = Array.from({ length: 40 }, () => 'x'.repeat(131_000))
    expect(await run({ args: [{ param: 'a' }] }, { a: many })).toMatchObject({
      error: { code: 'COMMAND_FAILED', message: expect.stringContaining('E2BIG') },
    })
  })
})

describe('temporary files', () => {
  it('are private, and removed after every outcome', async () => {
    program(
      'opens',
      `stat -c %a "$2" "$(dirname "$2")"; printf %s "$2" > ${marker()}; cat "$2" >&2; [ "$(cat "$2")" = stay ] && exec sleep 30; exit 3`,
    )
    for (const [c, code, setup] of [
      ['x', 'COMMAND_FAILED', {}],
      ['stay', 'TIMEOUT', { timeoutMs: 300 }],
    ] as const) {
      const result = await run(
        { binary: 'opens', args: [{ param: 'c', kind: 'tempfile', flag: 'f' }], more: setup },
        { c },
      )
      expect(result.error?.code).toBe(code)
      const path = readFileSync(marker(), 'utf8')
      expect(existsSync(dirname(path))).toBe(false)
    }
    program('opens', 'stat -c %a "$2" "$(dirname "$2")"')
    expect(
      (await run({ binary: 'opens', args: [{ param: 'c', kind: 'tempfile', flag: 'f' }] }, { c: 'x' })).value,
    ).toBe('600\n700\n')
  })
})

describe('paths', () => {
  beforeEach(() => {
    bed.write('docs/a.txt', '')
    writeFileSync(join(dirname(bed.project), 'secret'), '')
    symlinkSync(join(dirname(bed.project), 'secret'), join(bed.project, 'leak'))
    symlinkSync(join(dirname(bed.project), 'not-yet'), join(bed.project, 'dangling'))
    symlinkSync('docs', join(bed.project, 'inner'))
    mkdirSync(join(bed.project, '.git'))
    mkdirSync(join(bed.project, '.toolcrib'))
    symlinkSync('../.git', join(bed.project, 'docs/sly'))
  })

  it.each([
    ['docs/a.txt', 'docs/a.txt'],
    ['inner/a.txt', 'docs/a.txt'],
    ['docs/../docs/./a.txt', 'docs/a.txt'],
    ['new/deep/file', 'new/deep/file'],
    ['-dash', '-dash'],
    ['.', ''],
  ])('%s arrive real and absolute', async (f, real) => {
    verifies('T49')
    for (const rule of ['readPath', 'writePath']) {
      const result = await run({ args: [{ param: 'f', [rule]: true }] }, { f })
      expect(argvOf(result.value)).toEqual([join(bed.project, real)])
    }
  })

  it.each([
    '..',
    '../x',
    '/etc/passwd',
    'leak',
    'dangling',
    'dangling/x',
    '.git',
    '.git/hooks/x',
    'docs/sly/config',
    '.GIT/x',
    '.toolcrib/token',
    'docs/../../x',
    'a\0b',
  ])('%j are refused', async (f) => {
    verifies('T49')
    for (const rule of ['readPath', 'writePath'])
      expect(await run({ args: [{ param: 'f', kind: 'flag', [rule]: true }] }, { f })).toMatchObject({
        error: { code: 'COMMAND_ARG_REFUSED' },
      })
  })

  it.each(['readPath', 'writePath', 'workingdir'])('too long to exist are refused: %s', async (rule) => {
    const arg = rule === 'workingdir' ? { kind: rule } : { [rule]: true }
    for (const f of [`${'x/'.repeat(1500)}y`, `${'x/'.repeat(60_000)}y`]) {
      const result = await run({ args: [{ param: 'f', ...arg }] }, { f })
      expect(result.error?.code ?? 'passed').toBe(
        f.length > 4_000 || rule === 'workingdir' ? 'COMMAND_ARG_REFUSED' : 'passed',
      )
    }
  })

  it('that stay fixed may be read but not written', async () => {
    bed.write('toolcrib.yaml', '')
    expect(
      (await run({ args: [{ param: 'f', readPath: true }] }, { f: 'toolcrib.yaml' })).error,
    ).toBeUndefined()
    expect(await run({ args: [{ param: 'f', writePath: true }] }, { f: 'toolcrib.yaml' })).toMatchObject({
      error: { code: 'COMMAND_ARG_REFUSED' },
    })
  })

  it.each(['..', '/', 'leak', 'no-such-folder', 'docs/a.txt', 'a\0'])(
    'working folder %j is refused',
    async (d) => {
      verifies('T49')
      expect(await run({ args: [{ param: 'd', kind: 'workingdir' }] }, { d })).toMatchObject({
        error: { code: 'COMMAND_ARG_REFUSED' },
      })
    },
  )

  it('are relative to the working folder', async () => {
    const result = await run(
      {
        args: [
          { param: 'f', readPath: true },
          { param: 'd', kind: 'workingdir' },
        ],
      },
      { f: 'a.txt', d: 'inner' },
    )
    expect(argvOf(result.value)).toEqual([join(bed.project, 'docs/a.txt')])
  })
})

describe('paramCondition', () => {
  it('is judged on what the caller gave, before defaults, and falls back to the entry without one', async () => {
    const given = {
      tools: [{ name: 't', parameters: { type: 'object', properties: { a: { default: 1 }, b: {} } } }],
      allowlist: { stub: ['with', 'without', 'plain'] },
      execution: [
        { tool: 't', binary: 'stub', subcommand: 'with', paramCondition: { present: ['a'] } },
        {
          tool: 't',
          binary: 'stub',
          subcommand: 'without',
          paramCondition: { present: ['b'], absent: ['a'] },
        },
        { tool: 't', binary: 'stub', subcommand: 'plain' },
      ],
    }
    bed.skill('s', given)
    const { tools, all } = bed.load()
    expect(all).toEqual([])
    const chosen = async (args: unknown) => argvOf((await bed.run(tools[0]!, args)).value)
    expect(await chosen({})).toEqual(['plain'])
    expect(await chosen({ a: null })).toEqual(['plain'])
    expect(await chosen({ a: 0 })).toEqual(['with'])
    expect(await chosen('{"b": false}')).toEqual(['without'])
  })
})

describe('a dry run', () => {
  it('tells everything and starts neither the command nor the post-processor', async () => {
    verifies('T53')
    program('stub', `touch ${marker()}`)
    script('post', `touch ${marker()}`)
    script('wrap', 'printf "[%s]" "$1"')
    const setup = {
      sub: 'go  now',
      args: [
        { param: 'p', resolveCommand: { script: 'wrap', args: ['$param'] } },
        { param: 'c', kind: 'stdin' },
        { param: 'f', kind: 'tempfile', flag: 'file' },
      ],
      more: { postProcess: { script: 'post' } },
    }
    const result = await run(setup, { p: 'v', c: 'text', f: 'x' }, { dryRun: true })
    const env = ['HOME', 'LANG', 'PATH', 'TMPDIR', 'TZ'].filter((name) => process.env[name] !== undefined)
    expect(result.value).toEqual({
      binary: 'stub',
      resolvedBinary: join(bed.bin, 'stub'),
      argv: ['go', 'now', '[v]', '--file', '<tempfile:f>'],
      cwd: bed.project,
      env: expect.arrayContaining(env),
      stdin: 'text',
      sandbox: expect.objectContaining({ layers: expect.any(Array) }),
      resolvers: [
        {
          param: 'p',
          command: ['sh', join(bed.project, 'skills/s/scripts/wrap'), 'v'],
          ran: true,
          before: 'v',
          after: '[v]',
        },
      ],
      warnings: [expect.stringContaining('resolvers were run')],
    })
    expect((result.value as { env: string[] }).env).toEqual(
      [...(result.value as { env: string[] }).env].sort(),
    )
    expect(existsSync(marker())).toBe(false)
  })

  it('has no standard input where none is mapped, and says which resolver did not run', async () => {
    verifies('T53')
    const result = await run(
      { args: [{ param: 'p', resolveCommand: { script: 'none' } }] },
      { p: 'v' },
      { dryRun: true },
    )
    expect(result.value).toMatchObject({
      stdin: null,
      argv: ['v'],
      resolvers: [{ param: 'p', command: null, ran: false, before: 'v', after: 'v' }],
      warnings: [expect.stringContaining('no script')],
    })
  })

  it('fails as a real run would, but for a program that is not found', async () => {
    verifies('T53')
    expect(await run({ args: [{ param: 'p' }] }, { p: '-x' }, { dryRun: true })).toMatchObject({
      error: { code: 'COMMAND_ARG_REFUSED' },
    })
    expect(await run({}, [], { dryRun: true })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
    expect(await run({ binary: 'no-such-program' }, {}, { dryRun: true })).toMatchObject({
      value: { resolvedBinary: null, warnings: [expect.stringContaining('not found')] },
    })
  })
})

it('leaves no process running', async () => {
  program('quick', 'sleep 300 & disown 2>/dev/null; exec >&- 2>&-')
  await run({ binary: 'quick' })
  await vi.waitFor(() => expect(bed.supervisor.running).toBe(0))
})
