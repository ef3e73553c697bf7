// A command as commander sees it: its own arguments and options first, then those every command takes, then
// examples. The reference in docs/ is made from the same thing.
import { Command, Option } from 'commander'
import type { CliCommand } from './command.ts'
import { exampleLines } from './example-lines.ts'
import type { CommandEntry } from './registry.ts'

const commonOptions: readonly (readonly [string, string])[] = [
  ['-C, --crib <dir>', 'the crib: default the nearest folder upwards with toolcrib.yaml or .ai/'],
  ['--json', 'one JSON document on stdout, nothing else on it'],
  ['--strict', 'warnings count as errors'],
  ['--frozen', 'refuse what differs from toolcrib.lock'],
  ['-q, --quiet', 'no notes on stderr'],
  ['-v, --verbose', 'more notes on stderr'],
  ['--no-input', 'never ask'],
  ['--yes', 'answer yes to every question'],
  ['--trust-folder', "count what the folder's own files ask for, this once"],
]

/** Adds the options every command takes. */
export function addCommonOptions(command: Command): Command {
  for (const [flags, description] of commonOptions)
    command.addOption(new Option(flags, description).helpGroup('Common options:'))
  return command
}

/** `toolcrib <name>` with everything it takes; parsing it throws instead of leaving the process. */
export function buildCommand(entry: CommandEntry, definition: CliCommand): Command {
  const command = new Command(`toolcrib ${entry.name}`)
    .description(`${entry.summary[0]!.toUpperCase()}${entry.summary.slice(1)}.`)
    .helpOption('-h, --help', 'this help')
  definition.define(command)
  addCommonOptions(command).exitOverride().showSuggestionAfterError()
  if (definition.takesAnyOption) command.allowUnknownOption().allowExcessArguments()
  command.addHelpText('after', () => `\nExamples:\n${exampleLines(definition.examples).join('\n')}`)
  return command
}
