// `toolcrib add ./report.py`: reads what a script takes, writes one definition, tries it once and keeps the example.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Crib } from '../../../crib/crib.ts'
import { writeBelow } from '../../../files/write-below.ts'
import { readHelp } from '../../../formats/rye/script-reader/read-help.ts'
import type {
  ScriptCommand,
  ScriptInterface,
  ScriptParam,
} from '../../../formats/rye/script-reader/script-interface.ts'
import { type ScriptTool, scriptToolFile } from '../../../formats/rye/script-reader/write-script-tool.ts'
import { dashed } from '../../../formats/write-words.ts'
import { isPlainObject, type Json, type JsonObject } from '../../../tool/json.ts'
import { makePrincipal } from '../../../tool/principal.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { UsageError } from '../command.ts'
import { writeEditorSchemas } from '../editor-schemas.ts'
import type { Session } from '../session.ts'
import { type Added, type AddOptions, notWritten } from './added.ts'
import { helpOf } from './help-of.ts'
import { learnAdded } from './learn-added.ts'
import { needsOf } from './script-needs.ts'
import type { ScriptTarget } from './script-target.ts'
import { refuseBrokenShell } from './shell-fault.ts'

export async function addScript(session: Session, target: ScriptTarget, options: AddOptions): Promise<Added> {
  const crib = await session.open({ asksAboutFolder: false })
  const notes: string[] = []
  await refuseBrokenShell(crib, target, session.signal)
  const found = await understand(session, crib, target, notes)
  const needs = await needsOf(crib, target)
  notes.push(...needs.notes)
  const tools = toolsOf(target, found, options).map((tool) => ({ ...tool, requires: needs.requires }))
  const files = tools.map((tool) => ({ tool, ...scriptToolFile(tool) }))
  for (const each of files) refuseTaken(join(session.root, each.path), each)
  const texts = Object.fromEntries(files.map(({ path, text }) => [path, text]))
  if (!session.json) for (const [path, text] of Object.entries(texts)) show(session, path, text)
  if (options.dryRun || !(await isAgreed(session)))
    return { files: [], tools: tools.map(({ id }) => id), notes: [...notes, notWritten(options)], texts }
  const written = files.map(({ path, text }) =>
    writeBelow(session.root, path, text, { isNew: !existsSync(join(session.root, path)) }),
  )
  crib.folder.decide([], true) // The user wrote this, so the folder is theirs (D7).
  await writeEditorSchemas(session.root)
  await crib.reload()
  for (const each of files) notes.push(...(await tryOut(session, crib, each, options)))
  return { files: written, tools: tools.map(({ id }) => id), notes }
}

/** What reading tells; where it tells nothing, what the program says of itself. */
async function understand(
  session: Session,
  crib: Crib,
  { reading, argv, name }: ScriptTarget,
  notes: string[],
): Promise<ScriptInterface> {
  notes.push(...[...new Set(reading.notes)].map((note) => `${name}: ${note}`))
  const isWhole = reading.notes.length === 0 || reading.commands.length > 1
  if (reading.by !== undefined && reading.commands.length > 0 && isWhole) return reading
  const isSilent = reading.language !== 'other' && reading.notes.length === 0
  if (isSilent && takesNothing(reading)) return { ...reading, commands: [{ words: [], params: [] }] }
  if (session.yes || (await mayAskHelp(session, name))) {
    const { text, failure } = await helpOf(crib, argv, session.signal)
    const read = text === undefined ? undefined : readHelp(text)
    if (read) {
      const description = reading.description ?? read.description
      return { ...read, commands: joined(reading, read), ...(description ? { description } : {}) }
    }
    if (reading.by !== undefined) return reading
    notes.push(
      `What ${name} takes could not be read: nothing in it says so, and --help did not help: ${failure ?? 'it printed no usage'}. Its arguments are one list, "args"; edit the definition to name them.`,
    )
  } else if (reading.by !== undefined) return reading
  else
    notes.push(
      `What ${name} takes could not be read, and --help was not tried; --yes tries it, fenced. Its arguments are one list, "args".`,
    )
  const args = { name: 'args', type: 'string', list: 'together', count: {}, isRequired: false } as const
  return {
    ...reading,
    commands: [{ words: [], params: [{ ...args, description: 'Its arguments, in order.' }] }],
  }
}

/** What reading found, and what --help adds to it. */
function joined(reading: ScriptInterface, help: ScriptInterface): readonly ScriptCommand[] {
  const known = reading.commands[0]?.params ?? []
  const names = new Set(known.map(({ name }) => name))
  return help.commands.map((command) => ({
    ...command,
    params: [...known, ...command.params.filter(({ name }) => !names.has(name))],
  }))
}

/** A script that never looks at its arguments needs none. */
function takesNothing({ commands }: ScriptInterface): boolean {
  return commands.every(({ params }) => params.length === 0)
}

async function mayAskHelp(session: Session, name: string): Promise<boolean> {
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  const answer = await confirm({
    message: `Nothing in ${name} says what it takes. Run it with --help, fenced?`,
  })
  return answer === true
}

async function isAgreed(session: Session): Promise<boolean> {
  if (session.yes) return true
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: 'Write it?' })) === true
}

function show(session: Session, path: string, text: string): void {
  session.note(`\n${path}`)
  for (const line of text.trimEnd().split('\n')) session.note(`  ${line}`)
}

function toolsOf(target: ScriptTarget, found: ScriptInterface, options: AddOptions): ScriptTool[] {
  const id = options.id ?? target.id
  const single = found.commands.length === 1 && found.commands[0]!.words.length === 0
  const given = options.example === undefined ? undefined : exampleOf(options.example)
  if (given && !single)
    throw new UsageError(
      `${target.name} becomes ${found.commands.length} tools, and --example is of one: add it without.`,
    )
  return found.commands.map((command) => ({
    id: single ? id : [id, ...command.words.map(dashed)].join('/'),
    description: describe(target, found, command),
    command: withoutClash(command),
    program: target.program,
    leading: target.leading,
    executor: target.executor,
    requires: undefined,
    readsInput: found.readsInput === true,
    examples: given ? [given] : [],
    origin: `Made by \`toolcrib add\` from ${target.name}; change it to your liking.`,
  }))
}

function withoutClash(command: ScriptCommand): ScriptCommand {
  const seen = new Set<string>()
  const params = command.params.map((param) => {
    const base = param.name
    let name = base
    for (let n = 2; seen.has(name); n++) name = `${base}_${n}`
    seen.add(name)
    return { ...param, name }
  })
  return { ...command, params }
}

function describe(target: ScriptTarget, found: ScriptInterface, command: ScriptCommand): string {
  const own = command.description
  const text = command.words.length === 0 ? (own ?? found.description) : own
  if (text) return text.slice(0, 1_000)
  const words = command.words.length === 0 ? '' : ` ${command.words.join(' ')}`
  return found.description && words
    ? `${found.description} (${command.words.join(' ')})`
    : `Run ${target.name}${words}`
}

function exampleOf(text: string): JsonObject {
  let params: unknown
  try {
    params = JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      `--example is not JSON: ${(error as Error).message}`,
      `For example: --example '{"name":"Ada"}'`,
    )
  }
  if (!isPlainObject(params)) throw new UsageError('--example takes a JSON object with the parameters.')
  return { title: 'as added', params: params as JsonObject }
}

/** What was added before and not edited since may get the example that it has not. */
function refuseTaken(file: string, { tool, path }: Written): void {
  if (!existsSync(file)) return
  const text = readFileSync(file, 'utf8')
  if (tool.examples.length > 0 && text === scriptToolFile({ ...tool, examples: [] }).text) return
  const origin = /^# Made by `toolcrib add` from (.+);/.exec(text)?.[1]
  throw new ToolError('CONFLICT', `${path} exists already${origin ? `: it was added from ${origin}` : ''}.`, {
    hint: 'Remove it first, or give the new tool another id with --id.',
  })
}

/** Something of the right kind to write over. */
function sampleOf({ type, list, choices }: ScriptParam): Json {
  const one = choices?.[0] ?? (type === 'string' ? '…' : type === 'boolean' ? true : 1)
  return list ? [one] : one
}

/** The line of an error that says what went wrong, as a sentence: Node puts its version below, Python nothing. */
function tellingLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !/^Node\.js v\d/.test(line))
  const line =
    lines.findLast((each) => /^(?:Uncaught )?[\w.]*(?:Error|Exception)\b/.test(each)) ?? lines.at(-1) ?? ''
  return /[.!?…]$/.test(line) ? line : `${line}.`
}

interface Written {
  readonly tool: ScriptTool
  readonly path: string
}

/**
 * One call with nothing guessed; what it can touch is narrower than usual: no network, and what it writes is thrown away.
 * With learned grants it has those.
 */
async function tryOut(
  session: Session,
  crib: Crib,
  { tool, path }: Written,
  options: AddOptions,
): Promise<string[]> {
  const required = tool.command.params.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const given = tool.examples[0]?.['params'] as JsonObject | undefined
  const call = `toolcrib run ${tool.id}`
  if (required.length > 0 && !given) {
    const sample = JSON.stringify(
      Object.fromEntries(
        tool.command.params
          .filter(({ isRequired }) => isRequired)
          .map((param) => [param.name, sampleOf(param)]),
      ),
    )
    const way =
      tool.command.words.length === 0 ? `Give one with --example '${sample}', or call it` : 'Call it'
    return [
      `${tool.id}: no example was kept, because ${required.join(', ')} would have to be guessed. ${way}: ${call} ${required.map((name) => `--${name} …`).join(' ')}`,
    ]
  }
  const params = given ?? {}
  const learned = await learnAdded(session, crib, {
    tool: tool.id,
    params,
    isWanted: options.learns === true,
  })
  const granted = learned?.proposal.grants
  const writes = tool.requires?.includes('fs.write') === true
  const narrow = writes ? ['fs.read', 'fs.write'] : ['fs.read']
  const outcome = await crib.call(tool.id, params, {
    principal: granted ? session.principal : makePrincipal({ ...session.principal, grants: narrow }),
    effects: granted || writes ? 'discard' : undefined,
    signal: session.signal,
    timeoutMs: 20_000,
  })
  const notes = granted
    ? [`${tool.id}: granted what it needs: ${granted.join(', ') || 'nothing'}.`, ...learned.notes]
    : []
  if (!outcome.ok) {
    if (given && !options.dryRun)
      writeBelow(session.root, path, scriptToolFile({ ...tool, examples: [] }).text)
    const { code, message, hint } = outcome.error
    const how = granted ? '' : writes ? ' that may only touch files' : ' that may only read'
    return [
      ...notes,
      `${tool.id}: no example was kept, because a call with ${JSON.stringify(params)}${how} failed: ${code}: ${tellingLine(message)}${hint ? ` ${hint}` : ''}`,
    ]
  }
  const title = given ? 'as added' : 'with nothing given'
  writeBelow(session.root, path, scriptToolFile({ ...tool, examples: [{ title, params }] }).text)
  return [...notes, `${tool.id}: a call with ${JSON.stringify(params)} worked and is kept as its example.`]
}
