// Whatever a caller sends, the program gets exactly the entries that were meant, or the call is refused with a
// code. The full numbers (a million, and ten thousand through real children) run with TOOLCRIB_FULL=1.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { argvOf, ToolsJsonTestBed } from '../../../test/helpers/tools-json-test-bed.ts'
import { normaliseArgs } from '../../formats/tools-json/normalise-args.ts'
import type { CommandArg, CommandEntry } from '../../tool/plans/command-plan.ts'
import { type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { buildArgv } from './build-argv.ts'

const isFull = process.env['TOOLCRIB_FULL'] === '1'
const built = isFull ? 1_000_000 : 5_000
const spawned = isFull ? 10_000 : 200

const nasty = fc.constantFrom(
  '',
  '-',
  '--',
  '-rf',
  '--output=/etc/x',
  '$(id)',
  '`id`',
  '; rm -rf /',
  '"',
  "'",
  '\\',
  '\\n',
  'a\nb',
  '\t',
  '*',
  '~',
  '%s',
  '$param',
  '$&',
  'é',
  '\u{1f600}',
  '\ud800',
  'a\0b',
  'x'.repeat(131_071),
  'x'.repeat(131_072),
  '\u202e',
  '-\u0301',
)
const text = fc.oneof(
  { weight: 3, arbitrary: nasty },
  { weight: 4, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string() },
)
const scalar = fc.oneof(text, text, text, fc.integer(), fc.double(), fc.boolean())
const value = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      null,
      undefined,
      {},
      { k: 1 },
      [null],
      [['a']],
      Number.NaN,
      Number.POSITIVE_INFINITY,
      9_007_199_254_740_993n,
    ),
  },
)
const names = ['a', 'b', 'c', '__proto__', 'constructor'] as const
const params = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 })
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const arg: fc.Arbitrary<CommandArg> = fc
  .record({
    kind: fc.constantFrom('positional', 'positional', 'flag', 'flagifboolean', 'literal', 'stdin'),
    param: fc.constantFrom(...names),
    option: fc.constantFrom('-x', '--long'),
    flagIfTrue: some(fc.constantFrom('--on', '--sort desc')),
    flagIfFalse: some(fc.constantFrom('--off')),
    allowLeadingDash: some(fc.constant(true as const)),
    optional: some(fc.constant(true as const)),
    split: some(fc.constant(true as const)),
    normalizeNewlines: some(fc.constant(true as const)),
    absentDefault: some(fc.constantFrom('--author', 'text')),
    value: some(fc.constantFrom('--', 'lit eral')),
    denyPattern: some(fc.constantFrom('^main$', 'secret')),
  })
  .map(
    (given) =>
      Object.fromEntries(
        Object.entries(given).filter(([, item]) => item !== undefined),
      ) as unknown as CommandArg,
  )
const entry: fc.Arbitrary<CommandEntry> = fc.record({
  binary: fc.constant('stub'),
  subcommand: fc.constantFrom('', 'go', 'a b'),
  args: fc.array(arg, { maxLength: 4 }),
})

/** The argv, or the code the call was refused with. */
function outcome(given: CommandEntry, args: Record<string, unknown>): readonly string[] | string {
  try {
    return buildArgv(given, args).argv
  } catch (error) {
    if (!isToolError(error)) throw error
    return error.code
  }
}

/** What one mapping means, written down a second time and as simply as possible. */
function meant(given: CommandEntry, args: Record<string, unknown>): readonly string[] | undefined {
  const entries: string[] = given.subcommand.split(' ').filter((token) => token !== '')
  for (const mapping of given.args) {
    if (mapping.kind === 'literal') {
      if (mapping.value !== undefined) entries.push(mapping.value)
      continue
    }
    const own = Object.hasOwn(args, mapping.param) ? args[mapping.param] : undefined
    const isEmptyList = mapping.kind === 'positional' && Array.isArray(own) && own.length === 0
    const content = own === undefined || own === null || isEmptyList ? mapping.absentDefault : own
    if (mapping.kind === 'flagifboolean') {
      const isTrue =
        content === true ||
        String(content).toLowerCase() === 'true' ||
        (Number.isInteger(content) && content !== 0)
      const shown = isTrue ? mapping.flagIfTrue : mapping.flagIfFalse
      if (shown !== undefined) entries.push(shown)
      continue
    }
    if (content === undefined || mapping.kind === 'stdin') continue
    for (const item of Array.isArray(content) ? content : [content]) {
      let written = typeof item === 'string' ? item : JSON.stringify(item)
      if (typeof item === 'string' && mapping.normalizeNewlines)
        written = item.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
      const pieces =
        mapping.split && mapping.kind === 'positional'
          ? written.split(/\s+/).filter((piece) => piece !== '')
          : [written]
      for (const piece of pieces)
        entries.push(...(mapping.kind === 'flag' ? [mapping.option!, piece] : [piece]))
    }
  }
  return entries
}

const codes = ['PARAMS_INVALID', 'COMMAND_ARG_REFUSED']

describe('any parameters', () => {
  it(`give the meant argv or a clear refusal (${built} sets)`, { timeout: 3_600_000 }, () => {
    fc.assert(
      fc.property(entry, params, (given, args) => {
        const result = outcome(given, args)
        if (typeof result === 'string') expect(codes).toContain(result)
        else expect(result).toEqual(meant(given, args))
      }),
      { numRuns: built, endOnFailure: isFull },
    )
  })

  it("never put a caller's dash where an option could stand", () => {
    const guarded = fc.record({
      kind: fc.constant('positional'),
      param: fc.constantFrom(...names),
      split: some(fc.constant(true as const)),
    })
    fc.assert(
      fc.property(fc.array(guarded, { minLength: 1, maxLength: 3 }), params, (args, given) => {
        const result = outcome({ binary: 'stub', subcommand: '', args: args as CommandArg[] }, given)
        if (typeof result !== 'string') expect(result.filter((text) => text.startsWith('-'))).toEqual([])
      }),
      { numRuns: built / 10 },
    )
  })

  it(`arrive in a real child as they were meant, or start none (${spawned} sets)`, {
    timeout: 3_600_000,
  }, async () => {
    const bed = new ToolsJsonTestBed()
    onTestFinished(() => bed.close())
    const sets = fc.sample(fc.tuple(entry, params), spawned)
    await inBatches(sets, 8, async ([given, args]) => {
      const result = await bed.run(echoing(given), args)
      const wanted = outcomeOfCall(given, args)
      if (result.error) expect(result.error.code).toBe(wanted)
      else expect(received(result.value, wanted.length)).toEqual(wanted)
    })
  })
})

const anything: JsonSchema = { type: 'object' }

/** A tool that runs `printf` with a format it repeats for each argument it got, a NUL after each. */
function echoing(given: CommandEntry): Tool {
  const entries = [{ ...given, binary: 'printf', subcommand: `%s\\0 ${given.subcommand}` }]
  const plan = { skill: 's', skillDir: '/', allowlist: { printf: [entries[0]!.subcommand] }, entries }
  return makeTool({
    id: 't',
    format: 'tools-json',
    tier: 'project',
    params: anything,
    source: { file: null, digest: '' },
    runtime: { name: 'command', plan },
  })
}

function outcomeOfCall(given: CommandEntry, args: Record<string, unknown>): readonly string[] | string {
  try {
    return outcome(given, normaliseArgs(args, { id: 't', params: anything }))
  } catch (error) {
    if (!isToolError(error)) throw error
    return error.code
  }
}

/** Without any argument `printf` uses its format once, on nothing. */
function received(value: unknown, count: number): string[] {
  return count === 0 && value === '\0' ? [] : argvOf(value)
}

async function inBatches<T>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < items.length; i += size) await Promise.all(items.slice(i, i + size).map(work))
}
