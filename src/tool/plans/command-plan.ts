// What a tools.json tool hands to the command runtime: its execution entries with every default written out.
// A field that the descriptor leaves unset is absent, so the plan is also the honest answer to "what will run".
import type { Json } from '../json.ts'

export const argKinds = [
  'positional',
  'flag',
  'flagifboolean',
  'literal',
  'stdin',
  'workingdir',
  'tempfile',
] as const

export type ArgKind = (typeof argKinds)[number]

/** A script of the skill, or an allowlisted command. */
export interface Helper {
  readonly script?: string
  readonly binary?: string
  readonly subcommand?: string
  readonly args: readonly string[]
  readonly timeoutMs?: number
}

export interface PostProcess extends Helper {
  readonly emptyIsResult?: true
}

export interface CommandArg {
  /** Lower case; a kind this program does not know is kept, so that the run is refused rather than guessed. */
  readonly kind: ArgKind | (string & {})
  /** Empty for a literal. */
  readonly param: string
  /** The option as it is emitted (`-n`, `--name`), for kinds flag and tempfile. */
  readonly option?: string
  readonly flagIfTrue?: string
  readonly flagIfFalse?: string
  readonly subcommandOverride?: string
  readonly normalizeNewlines?: true
  readonly resolveCommand?: Helper
  readonly allowLeadingDash?: true
  readonly optional?: true
  readonly disambiguateAfterSkippedPositionals?: true
  readonly absentDefault?: Json
  readonly split?: true
  readonly value?: string
  readonly denyPattern?: string
  readonly readPath?: true
  readonly writePath?: true
}

export interface HintCondition {
  readonly match?: string
  readonly exitCode?: number | 'nonzero'
  readonly notEmpty?: true
  readonly whenArg?: { readonly [param: string]: Json }
  readonly hint: string
}

export interface CommandEntry {
  readonly binary: string
  /** Unsplit: the allowlist compares it as it is. */
  readonly subcommand: string
  readonly args: readonly CommandArg[]
  readonly timeoutMs?: number
  readonly successExitCodes?: readonly number[]
  readonly maxOutputLines?: number
  readonly postProcess?: PostProcess
  readonly hintConditions?: readonly HintCondition[]
  readonly paramCondition?: { readonly present: readonly string[]; readonly absent: readonly string[] }
}

export interface CommandPlan {
  readonly skill: string
  /** Absolute folder of the skill. */
  readonly skillDir: string
  /** Binary to the subcommands it may be run with. */
  readonly allowlist: { readonly [binary: string]: readonly string[] }
  readonly entries: readonly CommandEntry[]
}

/** The entries an unsplit subcommand stands for; no quoting. */
export function subcommandTokens(subcommand: string): string[] {
  return subcommand.split(/\s+/).filter((token) => token !== '')
}
