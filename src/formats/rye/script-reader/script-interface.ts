// What a script can be called with, however its language says so.
import type { Json } from '../../../tool/json.ts'

export type ScalarType = 'string' | 'integer' | 'number' | 'boolean'

export interface ScriptParam {
  /** As a caller names it: letters, digits and `_`. */
  readonly name: string
  /** The option as it is written on the command line; absent: a positional argument. */
  readonly flag?: string
  /** Written for false, where the script has such a flag. */
  readonly off?: string
  /** `=`: the value follows in the same argument, so that it can never be read as another option. */
  readonly joint?: '' | '='
  /** It stands before the words of the subcommand. */
  readonly isBefore?: boolean
  readonly type: ScalarType
  /** Several values: all after one flag, or the flag again for each. */
  readonly list?: 'together' | 'repeated'
  /** How many values a list has. */
  readonly count?: { readonly min?: number; readonly max?: number }
  readonly isRequired: boolean
  readonly fallback?: Json
  readonly choices?: readonly Json[]
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
}

/** One way to call the script: the whole of it, or one of its subcommands. */
export interface ScriptCommand {
  /** The words that choose it; none for a script without subcommands. */
  readonly words: readonly string[]
  readonly description?: string
  readonly params: readonly ScriptParam[]
}

export interface ScriptInterface {
  readonly description?: string
  readonly commands: readonly ScriptCommand[]
  /** Which reader understood it, such as `argparse`; absent: nothing says what it takes. */
  readonly by?: string
  /** It reads standard input. */
  readonly readsInput?: boolean
  /** What could not be read, in sentences. */
  readonly notes: readonly string[]
}

/** The name of a parameter for an option or argument: `--dry-run` is `dry_run`. */
export function paramName(written: string): string {
  const name = written
    .replace(/^-+/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
  return /^[a-z_]/.test(name) ? name : `arg_${name}`
}

/** The long one of several spellings of an option, as people name it. */
export function longest(flags: readonly string[]): string {
  return flags.find((flag) => flag.startsWith('--')) ?? flags[0]!
}

/** The first paragraph on one line; undefined when nothing is left. */
export function firstParagraph(text: string | undefined): string | undefined {
  const paragraph = text?.trim().split(/\n\s*\n/)[0]
  const line = paragraph?.replace(/\s+/g, ' ').trim()
  return line ? line : undefined
}
