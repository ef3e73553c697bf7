// One execution entry as written to one as planned: defaults written out, every rule about the entry itself
// checked. An entry that breaks a rule is still planned as far as it goes; its tool carries the error.
import { isBareName } from '../../config/find-on-path.ts'
import { compileRegExp } from '../../tool/pattern.ts'
import {
  argKinds,
  type CommandArg,
  type CommandEntry,
  type Helper,
  type HintCondition,
  type PostProcess,
} from '../../tool/plans/command-plan.ts'
import { readFields } from './read-fields.ts'
import type { Report } from './report.ts'
import {
  type ArgFields,
  argShape,
  type ExecutionFields,
  executionShape,
  helperShape,
  hintShape,
  paramConditionShape,
  postProcessShape,
} from './shapes.ts'

type Allowlist = { readonly [binary: string]: readonly string[] }

/** What an entry is judged by, and who hears of its faults. */
export interface Judging {
  readonly allowlist: Allowlist
  readonly report: Report
}

/** Reads one entry; undefined when it lacks what every entry needs. `timeoutMs` is the tool's own, if any. */
export function readExecution(
  value: unknown,
  pointer: string,
  judging: Judging,
  timeoutMs?: number,
): CommandEntry | undefined {
  const reading = { value, pointer, what: 'the execution entry', shape: executionShape }
  const fields = readFields(reading, judging.report)
  const { binary, subcommand } = fields ?? {}
  if (!fields || binary === undefined || subcommand === undefined) return undefined
  checkPair({ binary, subcommand }, pointer, judging)
  return {
    binary,
    subcommand,
    args: readArgs(fields.args, `${pointer}/args`, { ...judging, binary }),
    timeoutMs: fields.timeoutMs ?? timeoutMs,
    ...pick(fields, 'successExitCodes', 'maxOutputLines'),
    ...readPostProcess(fields, pointer, judging),
    ...readCondition(fields, pointer, judging.report),
    ...readHints(fields, pointer, judging.report),
  }
}

interface Pair {
  readonly binary: string
  readonly subcommand: string
}

function checkPair({ binary, subcommand }: Pair, pointer: string, judging: Judging): void {
  const { allowlist, report } = judging
  if (!isProgramName(binary)) {
    report.error(
      'binary-name-invalid',
      `${pointer}/binary`,
      `the binary ${JSON.stringify(binary)} is neither a bare name nor an absolute path`,
    )
  } else if (!Object.hasOwn(allowlist, binary)) {
    report.error(
      'binary-not-allowlisted',
      `${pointer}/binary`,
      `the binary ${JSON.stringify(binary)} is not in the allowlist`,
      `Add ${JSON.stringify(binary)} with its subcommands to the allowlist.`,
    )
  } else {
    checkSubcommand({ binary, subcommand }, `${pointer}/subcommand`, judging)
  }
}

function checkSubcommand({ binary, subcommand }: Pair, at: string, { allowlist, report }: Judging): void {
  if (!Object.hasOwn(allowlist, binary) || allowlist[binary]!.includes(subcommand)) return
  report.error(
    'subcommand-not-allowlisted',
    at,
    `the subcommand ${JSON.stringify(subcommand)} is not in the allowlist of ${binary}`,
    `Allowed: ${allowlist[binary]!.map((entry) => JSON.stringify(entry)).join(', ') || 'none'}.`,
  )
}

function isProgramName(name: string): boolean {
  return isBareName(name) || (name.startsWith('/') && !name.includes('\0'))
}

function readArgs(
  given: readonly unknown[] = [],
  pointer: string,
  judging: Judging & { readonly binary: string },
): CommandArg[] {
  const { report, binary } = judging
  const args: CommandArg[] = []
  const seen = new Set<string>()
  for (const [index, value] of given.entries()) {
    const at = `${pointer}/${index}`
    const fields = readFields({ value, pointer: at, what: 'the argument', shape: argShape }, report)
    if (!fields) {
      // Its place stays taken, so that problems of the others point where they belong.
      args.push({ kind: 'positional', param: '' })
      continue
    }
    const kind = (fields.kind ?? 'positional').toLowerCase()
    if (isKnownKind(kind, { fields, at, seen }, report)) seen.add(kind)
    const subcommand = kind === 'flagifboolean' ? fields.subcommandOverride : undefined
    if (subcommand) checkSubcommand({ binary, subcommand }, `${at}/subcommandOverride`, judging)
    checkPattern(fields.denyPattern, `${at}/denyPattern`, report)
    args.push(planArg(kind, fields, at, judging))
  }
  return args
}

interface Judged {
  readonly fields: ArgFields
  readonly at: string
  /** Kinds of the arguments before it. */
  readonly seen: ReadonlySet<string>
}

/** Checks what an argument of this kind needs; false when there is no such kind. */
function isKnownKind(kind: string, { fields, at, seen }: Judged, report: Report): boolean {
  if (!(argKinds as readonly string[]).includes(kind)) {
    report.error(
      'kind-invalid',
      `${at}/kind`,
      `the kind ${JSON.stringify(fields.kind)} is unknown`,
      `Known kinds: ${argKinds.join(', ')}.`,
    )
    return false
  }
  if ((kind === 'stdin' || kind === 'workingdir') && seen.has(kind))
    report.error('kind-invalid', `${at}/kind`, `a command has only one ${kind}`)
  if (kind !== 'literal' && !fields['param'])
    report.error('arg-no-param', at, `an argument of kind ${kind} needs a param`)
  if (
    kind === 'flagifboolean' &&
    !fields['flagIfTrue'] &&
    !fields['flagIfFalse'] &&
    !fields['subcommandOverride']
  )
    report.error(
      'flagifboolean-no-flag',
      at,
      'flagifboolean needs flagIfTrue, flagIfFalse or subcommandOverride',
    )
  return true
}

function planArg(kind: string, fields: ArgFields, at: string, judging: Judging): CommandArg {
  const param = kind === 'literal' ? '' : (fields.param ?? '')
  const takesHelper = kind !== 'flagifboolean' && kind !== 'literal'
  const resolver =
    fields.resolveCommand &&
    readHelper(fields.resolveCommand, `${at}/resolveCommand`, 'resolveCommand', judging)
  return {
    kind,
    param,
    option: kind === 'flag' || kind === 'tempfile' ? optionOf(fields.flag ?? param) : undefined,
    ...pickFilled(fields, 'flagIfTrue', 'flagIfFalse', 'subcommandOverride'),
    ...pickTrue(
      fields,
      'allowLeadingDash',
      'optional',
      'disambiguateAfterSkippedPositionals',
      'split',
      'readPath',
      'writePath',
    ),
    ...(takesHelper ? pickTrue(fields, 'normalizeNewlines') : {}),
    ...(takesHelper && resolver ? { resolveCommand: resolver } : {}),
    ...pick(fields, 'absentDefault', 'value', 'denyPattern'),
  } as CommandArg
}

/** `n` is `-n`, `name` is `--name`, what starts with a dash stays. */
export function optionOf(name: string): string {
  if (name.startsWith('-')) return name
  return [...name].length === 1 ? `-${name}` : `--${name}`
}

function readHelper(
  value: unknown,
  pointer: string,
  what: 'resolveCommand' | 'postProcess',
  { allowlist, report }: Judging,
): Helper | undefined {
  const shape = what === 'postProcess' ? postProcessShape : helperShape
  const fields = readFields({ value, pointer, what, shape }, report)
  if (!fields) return undefined
  const { script, binary, subcommand } = fields
  if ((script === undefined) === (binary === undefined)) {
    report.error(
      'resolve-invalid',
      pointer,
      `${what} needs either script or binary, ${script === undefined ? 'and has neither' : 'not both'}`,
    )
  } else if (binary !== undefined && subcommand === undefined) {
    report.error('resolve-invalid', pointer, `${what} names a binary without a subcommand`)
  } else if (script !== undefined && !isScriptName(script)) {
    report.error(
      'script-name-invalid',
      `${pointer}/script`,
      `the script name ${JSON.stringify(script)} must be the name of a file in scripts/, without "..", "/", "\\" or NUL`,
    )
  } else if (binary !== undefined && !isAllowed(allowlist, binary, subcommand!)) {
    report.warning(
      'resolve-not-allowlisted',
      `${pointer}/binary`,
      `${what} runs ${JSON.stringify(`${binary} ${subcommand}`.trim())}, which is not in the allowlist, so it will be skipped`,
    )
  }
  return { args: [], ...pick(fields, 'script', 'binary', 'subcommand', 'args', 'timeoutMs') }
}

/** A name that cannot lead out of the `scripts` folder. */
export function isScriptName(name: string): boolean {
  return name !== '' && name !== '.' && !name.includes('..') && !/[/\\\0]/.test(name)
}

/** True when the exact pair is listed. */
export function isAllowed(allowlist: Allowlist, binary: string, subcommand: string): boolean {
  return Object.hasOwn(allowlist, binary) && allowlist[binary]!.includes(subcommand)
}

function readPostProcess(
  { postProcess }: ExecutionFields,
  pointer: string,
  judging: Judging,
): { postProcess?: PostProcess } {
  const helper = postProcess && readHelper(postProcess, `${pointer}/postProcess`, 'postProcess', judging)
  return helper ? { postProcess: { ...helper, ...pickTrue(postProcess, 'emptyIsResult') } } : {}
}

function readCondition(
  { paramCondition: value }: ExecutionFields,
  pointer: string,
  report: Report,
): Pick<CommandEntry, 'paramCondition'> {
  if (!value) return {}
  const at = `${pointer}/paramCondition`
  const read = readFields({ value, pointer: at, what: 'paramCondition', shape: paramConditionShape }, report)
  return { paramCondition: { present: [], absent: [], ...read } }
}

function readHints(
  { hintConditions = [] }: ExecutionFields,
  pointer: string,
  report: Report,
): Pick<CommandEntry, 'hintConditions'> {
  const hints: HintCondition[] = []
  for (const [index, value] of hintConditions.entries()) {
    const at = `${pointer}/hintConditions/${index}`
    const read = readFields({ value, pointer: at, what: 'the hint condition', shape: hintShape }, report)
    if (read?.hint === undefined) continue
    checkPattern(read.match, `${at}/match`, report)
    hints.push({
      ...pick(read, 'match', 'exitCode', 'whenArg'),
      ...pickTrue(read, 'notEmpty'),
      hint: read.hint,
    })
  }
  return hints.length > 0 ? { hintConditions: hints } : {}
}

function checkPattern(source: string | undefined, at: string, report: Report): void {
  if (source === undefined) return
  try {
    compileRegExp(source)
  } catch (error) {
    report.error(
      'pattern-invalid',
      at,
      `the regular expression does not compile: ${(error as Error).message}`,
    )
  }
}

/** The fields of these names that are there. */
function pick<T extends object, K extends keyof T>(fields: T, ...names: readonly K[]): Pick<T, K> {
  const entries = names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]])
  return Object.fromEntries(entries) as Pick<T, K>
}

function pickFilled<T extends object, K extends keyof T>(fields: T, ...names: readonly K[]): Pick<T, K> {
  return pick(fields, ...names.filter((name) => fields[name] !== ''))
}

function pickTrue<T extends object, K extends keyof T>(
  fields: T,
  ...names: readonly K[]
): { readonly [name in K]?: true } {
  const entries = names.filter((name) => fields[name] === true).map((name) => [name, true])
  return Object.fromEntries(entries) as { readonly [name in K]?: true }
}
