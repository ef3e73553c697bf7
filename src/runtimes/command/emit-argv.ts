// The second half of building a command line: texts, resolved where asked, to the exact entries the program
// gets. Whatever the program could take for an option, or could not receive unchanged, is refused.

import { subcommandTokens } from '../../tool/plans/command-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { CompiledArg, CompiledEntry } from './compile-plan.ts'
import { type PreparedArg, refuseDenied, refuseGaps, type Text } from './prepare-args.ts'

export interface TempFile {
  readonly param: string
  readonly text: string
  /** Which entry of argv stands for its path. */
  readonly index: number
}

export interface BuiltCommand {
  /** What follows the program's name; a temporary file is `<tempfile:param>` until it is made. */
  readonly argv: string[]
  /** null: standard input is empty. */
  readonly stdin: string | null
  readonly tempFiles: readonly TempFile[]
}

/** Turns a path text into the absolute real path, or refuses it. */
export type PathRule = (text: string, arg: CompiledArg) => string

// Linux takes at most 131072 bytes per argument, the closing NUL included.
const maxEntryBytes = 131_071

/** The subcommand this call runs: that of the first true override, else the entry's own. */
export function subcommandOf(entry: CompiledEntry, prepared: readonly PreparedArg[]): string {
  const override = prepared.find(({ arg, isTrue }) => isTrue && arg.subcommandOverride !== undefined)
  return override?.arg.subcommandOverride ?? entry.subcommand
}

export function emitArgv(
  entry: CompiledEntry,
  prepared: readonly PreparedArg[],
  pathRule: PathRule,
  toolId: string,
): BuiltCommand {
  refuseGaps(prepared, toolId)
  const argv = subcommandTokens(subcommandOf(entry, prepared))
  const tempFiles: TempFile[] = []
  let stdin: string | null = null
  let hasSkipped = false
  for (const { arg, texts, isTrue } of prepared) {
    switch (arg.kind) {
      case 'flagifboolean':
        emitBoolean(arg, isTrue, argv)
        break
      case 'literal':
        for (const { text } of texts) argv.push(text)
        break
      case 'stdin':
        for (const piece of texts) stdin = finished(piece, arg, pathRule, toolId).join('')
        break
      case 'tempfile':
        for (const { text } of texts) {
          refuseDenied(text, arg, toolId)
          tempFiles.push({
            param: arg.param,
            text,
            index: argv.push(arg.option!, `<tempfile:${arg.param}>`) - 1,
          })
        }
        break
      case 'flag':
        for (const piece of texts)
          for (const text of finished(piece, arg, pathRule, toolId)) argv.push(arg.option!, text)
        break
      case 'positional': {
        const entries = texts.flatMap((piece) => positional(piece, arg, pathRule, toolId))
        if (texts.length === 0) hasSkipped = true
        else if (hasSkipped && arg.disambiguateAfterSkippedPositionals && entries.length > 0) argv.push('--')
        // One by one: a call cannot take a hundred thousand arguments.
        for (const text of entries) argv.push(text)
        break
      }
    }
  }
  for (const text of argv) refuseUnpassable(text, toolId)
  return { argv, stdin, tempFiles }
}

function emitBoolean(arg: CompiledArg, isTrue: boolean, argv: string[]): void {
  if (arg.subcommandOverride !== undefined) return
  const text = isTrue ? arg.flagIfTrue : arg.flagIfFalse
  if (text !== undefined) argv.push(text)
}

function positional(piece: Text, arg: CompiledArg, pathRule: PathRule, toolId: string): string[] {
  const entries = finished(piece, arg, pathRule, toolId)
  if (piece.isAuthors || arg.allowLeadingDash) return entries
  const dashed = entries.find((text) => text.startsWith('-'))
  if (dashed === undefined) return entries
  throw new ToolError(
    'COMMAND_ARG_REFUSED',
    `${toolId}: "${arg.param}" may not begin with "-", because the program would take ${JSON.stringify(shortened(dashed))} for an option.`,
    {
      hint: 'Use a value that does not begin with a dash; the author of the skill can allow it with allowLeadingDash.',
    },
  )
}

/** Split, denied and turned into paths as the mapping asks. */
function finished(piece: Text, arg: CompiledArg, pathRule: PathRule, toolId: string): string[] {
  const pieces =
    arg.split && arg.kind === 'positional'
      ? piece.text.split(/\s+/).filter((part) => part !== '')
      : [piece.text]
  return pieces.map((text) => {
    if (arg.deny && (arg.split || arg.resolveCommand)) refuseDenied(text, arg, toolId)
    return (arg.readPath || arg.writePath) && arg.kind !== 'stdin' ? pathRule(text, arg) : text
  })
}

/** Refuses what no program can receive as it is. */
export function refuseUnpassable(text: string, toolId: string): void {
  const fault = unpassable(text)
  if (fault)
    throw new ToolError(
      'COMMAND_ARG_REFUSED',
      `${toolId}: an argument ${fault} and cannot be passed to a program.`,
      {
        hint: 'Shorten or clean the value.',
      },
    )
}

/** Why no program can receive the text as it is; undefined when one can. */
export function unpassable(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character'
  if (text.length * 3 > maxEntryBytes && Buffer.byteLength(text) > maxEntryBytes)
    return `is longer than ${maxEntryBytes} bytes`
  return /\p{Surrogate}/u.test(text) ? 'holds half a surrogate pair, which has no UTF-8 form' : undefined
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
