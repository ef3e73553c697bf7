// The words that fit at the end of what was typed: commands, options, tool ids, a tool's parameters and their values.
import type { Command } from 'commander'
import { isPlainObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { buildCommand } from './build-command.ts'
import type { CliCommand } from './command.ts'
import { commands } from './registry.ts'
import type { Session } from './session.ts'
import { splitCommand } from './split-command.ts'

const takesTool = /^(ref|tool|id|path-or-id|task)/

/** `words` is the line after the program's name; the last one is being typed and may be empty. */
export async function completionWords(session: Session, words: readonly string[]): Promise<string[]> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { name, rest } = splitCommand(before)
  return (await candidates(session, name, rest, typed)).filter((word) => word.startsWith(typed))
}

async function candidates(
  session: Session,
  name: string | undefined,
  rest: readonly string[],
  typed: string,
): Promise<string[]> {
  if (name === undefined) return ['help', ...commands.map((entry) => entry.name)]
  if (name === 'help') return commands.map((entry) => entry.name)
  const entry = commands.find((each) => each.name === name)
  if (!entry) return []
  const definition = await entry.load()
  const command = buildCommand(entry, definition)
  const last = rest.at(-1) ?? ''
  const valued = optionNamed(command, last)
  if (valued?.argChoices) return [...valued.argChoices]
  // Plugins add formats, so the crib knows them.
  if (valued?.long === '--format')
    return (await (await session.open()).formats()).map((format) => format.name)
  if (valued?.required) return []
  const given = positionals(command, rest)
  const tool = definition.takesAnyOption && given[0] ? await toolNamed(session, given[0]) : undefined
  if (tool && last.startsWith('--') && !valued) {
    const values = valuesOf(tool, last.slice(2))
    if (values.length > 0) return values
  }
  if (typed.startsWith('-'))
    return [...parameterFlags(tool), ...command.options.flatMap(({ long }) => long ?? [])]
  return wordsFor(session, definition, command, given.length)
}

async function wordsFor(
  session: Session,
  definition: CliCommand,
  command: Command,
  position: number,
): Promise<string[]> {
  if (position === 0 && definition.words) return [...definition.words]
  const arguments_ = command.registeredArguments
  const argument = arguments_[position] ?? (arguments_.at(-1)?.variadic ? arguments_.at(-1) : undefined)
  if (argument?.argChoices) return [...argument.argChoices]
  if (!argument || !takesTool.test(argument.name())) return []
  const crib = await session.open()
  return crib.list({ all: !definition.takesAnyOption }).map((tool) => tool.id)
}

function optionNamed(command: Command, word: string) {
  return word.startsWith('-')
    ? command.options.find((option) => option.long === word || option.short === word)
    : undefined
}

function positionals(command: Command, rest: readonly string[]): string[] {
  const found: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i]!
    if (!word.startsWith('-')) found.push(word)
    else if (optionNamed(command, word)?.required) i++
  }
  return found
}

async function toolNamed(session: Session, ref: string): Promise<Tool | undefined> {
  try {
    return (await session.open()).find(ref)
  } catch {
    return undefined
  }
}

function propertiesOf(tool: Tool | undefined): Record<string, unknown> {
  const properties = tool?.params?.['properties']
  return isPlainObject(properties) ? properties : {}
}

function parameterFlags(tool: Tool | undefined): string[] {
  return Object.keys(propertiesOf(tool)).map((name) => `--${name}`)
}

function valuesOf(tool: Tool, parameter: string): string[] {
  const property = propertiesOf(tool)[parameter]
  if (!isPlainObject(property)) return []
  if (Array.isArray(property['enum'])) return property['enum'].map(String)
  return property['type'] === 'boolean' ? ['true', 'false'] : []
}
