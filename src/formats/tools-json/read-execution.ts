// One execution entry as written to one as planned: defaults written out, every rule about the entry itself
// checked. An entry that breaks a rule is still planned as far as it goes; its tool carries the error.
import { isBareName } from '../../config/find-on-path.ts'
import type { Json } from '../../tool/json.ts'
import { compileRegExp } from '../../tool/pattern.ts'
import {
  argKinds,
  type CommandArg,
  type CommandEntry,
  type Helper,
  type HintCondition,
  type PostProcess,
} from '../../tool/plans/command-plan.ts'
import { readFields } from './field.ts'
import {
  argFields,
  executionFields,
  helperFields,
  hintFields,
  paramConditionFields,
  postProcessFields,
} from './fields.ts'
import type { Report } from './report.ts'

type Allowlist = { readonly [binary: string]: readonly string[] }
type Sound = Record<string, unknown>

/** Reads one entry; undefined when it lacks what every entry needs. `timeoutMs` is the tool's own, if any. */
export function readExecution(
  value: unknown,
  pointer: string,
  allowlist: Allowlist,
  report: Report,
  timeoutMs?: number,
): CommandEntry | undefined {
  const fields = readFields(value, pointer, 'the execution entry', executionFields, report)
  if (typeof fields?.['binary'] !== 'string' || typeof fields['subcommand'] !== 'string') return undefined
  const { binary, subcommand } = fields as { binary: string; subcommand: string }
  checkPair(binary, subcommand, pointer, allowlist, report)
  const args = readArgs(fields['args'], `${pointer}/args`, binary, allowlist, report)
  const limit = fields['timeoutMs'] ?? timeoutMs
  return {
    binary,
    subcommand,
    args,
    ...(limit === undefined ? {} : { timeoutMs: limit as number }),
    ...pick(fields, 'successExitCodes', 'maxOutputLines'),
    ...readPostProcess(fields, pointer, allowlist, report),
    ...readCondition(fields, pointer, report),
    ...readHints(fields, pointer, report),
  }
}

function checkPair(
  binary: string,
  subcommand: string,
  pointer: string,
  allowlist: Allowlist,
  report: Report,
): void {
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
    checkSubcommand(binary, subcommand, `${pointer}/subcommand`, allowlist, report)
  }
}

function checkSubcommand(
  binary: string,
  subcommand: string,
  at: string,
  allowlist: Allowlist,
  report: Report,
): void {
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
  value: unknown,
  pointer: string,
  binary: string,
  allowlist: Allowlist,
  report: Report,
): CommandArg[] {
  const args: CommandArg[] = []
  const seen = new Set<string>()
  for (const [index, item] of ((value as unknown[] | undefined) ?? []).entries()) {
    const at = `${pointer}/${index}`
    const fields = readFields(item, at, 'the argument', argFields, report)
    if (!fields) {
      // Its place stays taken, so that problems of the others point where they belong.
      args.push({ kind: 'positional', param: '' })
      continue
    }
    const kind = String(fields['kind'] ?? 'positional').toLowerCase()
    checkKind(kind, fields, at, seen, report)
    if (
      kind === 'flagifboolean' &&
      typeof fields['subcommandOverride'] === 'string' &&
      fields['subcommandOverride'] !== ''
    )
      checkSubcommand(binary, fields['subcommandOverride'], `${at}/subcommandOverride`, allowlist, report)
    checkPattern(fields['denyPattern'], `${at}/denyPattern`, report)
    args.push(planArg(kind, fields, at, allowlist, report))
  }
  return args
}

function checkKind(kind: string, fields: Sound, at: string, seen: Set<string>, report: Report): void {
  if (!(argKinds as readonly string[]).includes(kind)) {
    report.error(
      'kind-invalid',
      `${at}/kind`,
      `the kind ${JSON.stringify(fields['kind'])} is unknown`,
      `Known kinds: ${argKinds.join(', ')}.`,
    )
    return
  }
  if ((kind === 'stdin' || kind === 'workingdir') && seen.has(kind))
    report.error('kind-invalid', `${at}/kind`, `a command has only one ${kind}`)
  seen.add(kind)
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
}

function planArg(kind: string, fields: Sound, at: string, allowlist: Allowlist, report: Report): CommandArg {
  const param = kind === 'literal' ? '' : String(fields['param'] ?? '')
  const takesHelper = kind !== 'flagifboolean' && kind !== 'literal'
  const resolver = fields['resolveCommand']
    ? readHelper(fields['resolveCommand'], `${at}/resolveCommand`, 'resolveCommand', allowlist, report)
    : undefined
  return {
    kind,
    param,
    ...(kind === 'flag' || kind === 'tempfile' ? { option: optionOf(String(fields['flag'] ?? param)) } : {}),
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
  what: string,
  allowlist: Allowlist,
  report: Report,
): Helper | undefined {
  const fields = readFields(
    value,
    pointer,
    what,
    what === 'postProcess' ? postProcessFields : helperFields,
    report,
  )
  if (!fields) return undefined
  const { script, binary, subcommand } = fields as { script?: string; binary?: string; subcommand?: string }
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
  return { args: [], ...pick(fields, 'script', 'binary', 'subcommand', 'args', 'timeoutMs') } as Helper
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
  fields: Sound,
  pointer: string,
  allowlist: Allowlist,
  report: Report,
): { postProcess?: PostProcess } {
  const value = fields['postProcess'] as Record<string, unknown> | undefined
  const helper = value && readHelper(value, `${pointer}/postProcess`, 'postProcess', allowlist, report)
  return helper ? { postProcess: { ...helper, ...pickTrue(value, 'emptyIsResult') } } : {}
}

function readCondition(fields: Sound, pointer: string, report: Report): Pick<CommandEntry, 'paramCondition'> {
  if (!fields['paramCondition']) return {}
  const read = readFields(
    fields['paramCondition'],
    `${pointer}/paramCondition`,
    'paramCondition',
    paramConditionFields,
    report,
  )
  return { paramCondition: { present: [], absent: [], ...read } }
}

function readHints(fields: Sound, pointer: string, report: Report): Pick<CommandEntry, 'hintConditions'> {
  const hints: HintCondition[] = []
  for (const [index, item] of ((fields['hintConditions'] as unknown[] | undefined) ?? []).entries()) {
    const at = `${pointer}/hintConditions/${index}`
    const read = readFields(item, at, 'the hint condition', hintFields, report)
    if (typeof read?.['hint'] !== 'string') continue
    checkPattern(read['match'], `${at}/match`, report)
    hints.push({
      ...pick(read, 'match', 'exitCode', 'whenArg'),
      ...pickTrue(read, 'notEmpty'),
      hint: read['hint'],
    })
  }
  return hints.length > 0 ? { hintConditions: hints } : {}
}

function checkPattern(source: unknown, at: string, report: Report): void {
  if (typeof source !== 'string') return
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

function pick(fields: Sound, ...names: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name] as Json]),
  )
}

function pickFilled(fields: Sound, ...names: readonly string[]): Record<string, Json> {
  return pick(fields, ...names.filter((name) => fields[name] !== ''))
}

function pickTrue(fields: Sound, ...names: readonly string[]): Record<string, true> {
  return Object.fromEntries(
    names.filter((name) => fields[name] === true).map((name) => [name, true as const]),
  )
}
