// `toolcrib new`: a working, documented tool file of a format, with an example to test.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openCrib } from '../../../crib/open-crib.ts'
import { writeBelow } from '../../../files/write-below.ts'
import type { Format } from '../../../formats/format.ts'
import { formats } from '../../../formats/registry.ts'
import { namesOf } from '../../../formats/starter.ts'
import { nearNames } from '../../../tool/near-names.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { writeEditorSchemas } from '../editor-schemas.ts'
import type { Session } from '../session.ts'

const startable = (formats: readonly Format[]) => formats.filter(({ template }) => template !== undefined)
const shipped = startable(formats)
const names = shipped.map(({ name }) => name)

export const newTool: CliCommand = {
  words: names,
  examples: [
    ['toolcrib new', 'asks for format, language and id'],
    ['toolcrib new rye text/count', 'a Python tool at .ai/tools/text/count.py'],
    ['toolcrib new rye text/longest --language ts', 'the same in TypeScript; also js, sh, yaml'],
    ['toolcrib new tools-json find-text', 'a skill folder that maps parameters to an allowlisted command'],
    ['toolcrib new tool-code word_count', 'a tool.code.v1 document for the Deno sandbox'],
    ['toolcrib new skill word-count', 'a code skill; --language md for one a model runs'],
    ['toolcrib new mcp words', 'a small MCP server, named in .mcp.json'],
    ['toolcrib new openapi petstore', 'the description of an API, petstore.openapi.yaml'],
  ],
  define(command) {
    command
      .argument('[format]', `${names.join(', ')}; asked for on a terminal`)
      .argument('[id]', 'id of the new tool; asked for on a terminal')
      .option('--language <language>', 'language of the file; the first of the format by default')
  },
  async run(session, [format, id], options) {
    const wanted = await complete(session, {
      format,
      id,
      language: options['language'] as string | undefined,
    })
    const made = await formatNamed(session, wanted.format)
    const files = await writeTool(session, made, wanted)
    await writeEditorSchemas(session.root)
    if (session.json) session.outJson({ files, root: session.root })
    else {
      for (const file of files) session.out(file)
      const ref = refOf(made, wanted.id)
      session.note(`Next: toolcrib check && toolcrib test ${ref}, then edit the file to your liking.`)
      session.note(`Call it: toolcrib run ${ref} --help`)
      const script = scriptHere(session.root)
      if (script) session.note(`To make a tool of a script you have: toolcrib add ./${script}`)
    }
    return 0
  },
}

/** A script that stands in the crib's own folder. */
function scriptHere(root: string): string | undefined {
  return readdirSync(root).find((name) => /\.(py|sh)$/.test(name))
}

interface Wanted {
  readonly format: string
  readonly id: string
  readonly language: string | undefined
}

/** What was not given is asked for; without a terminal that is wrong usage. */
async function complete(
  session: Session,
  given: { format: string | undefined; id: string | undefined; language: string | undefined },
): Promise<Wanted> {
  const { format, id, language } = given
  if (format !== undefined && id !== undefined) return { format, id, language }
  if (!session.mayAsk)
    throw new UsageError(
      format === undefined ? 'Which format, and which id?' : `Which id should the new ${format} tool have?`,
      `For example: toolcrib new ${format ?? 'rye'} text/count. Formats: ${names.join(', ')}.`,
    )
  const { askForTool } = await import('../ask-for-tool.ts')
  return askForTool(shipped, given, mustBeId)
}

/** The id under which the new tool is called. */
function refOf({ starter }: Format, id: string): string {
  return starter?.refOf(id) ?? id
}

/** A format that ships, or one that a plugin of the crib brings. */
async function formatNamed(session: Session, name: string): Promise<Format> {
  const known = shipped.find((format) => format.name === name)
  if (known) return known
  const all = startable(await (await session.open()).formats())
  const own = all.find((format) => format.name === name)
  if (own) return own
  const allNames = all.map((format) => format.name)
  const near = nearNames(name, allNames, 1)[0]
  throw new UsageError(
    `There is no template for "${name}".`,
    `${near === undefined ? '' : `Did you mean "${near}"? `}Known: ${allNames.join(', ')}.`,
  )
}

async function writeTool(session: Session, format: Format, { id, language }: Wanted): Promise<string[]> {
  const { name, starter } = format
  if (starter && language !== undefined && !starter.languages.includes(language))
    throw new UsageError(
      `${name} has no template in "${language}".`,
      `Known: ${starter.languages.join(', ')}.`,
    )
  mustBeId(id)
  const ref = refOf(format, id)
  if (starter?.maxRefLength !== undefined && ref.length > starter.maxRefLength)
    throw new UsageError(
      `"${ref}" is too long for a ${name} tool.`,
      `Its name may have at most ${starter.maxRefLength} characters.`,
    )
  const files = Object.entries(format.template!(id, language))
  const paths = files.map(([path]) => join(session.root, path))
  refuseTaken(paths)
  const server = namesOf(id).kebab
  const enter = starter?.isServer ? await serverEntry(session.root, server, files[0]![0]) : undefined
  for (const [path, text] of files)
    writeBelow(session.root, path, text, { isNew: true, mode: path.endsWith('.sh') ? 0o755 : 0o644 })
  const entered = enter?.() ?? []
  await acceptWritten(session.root, enter ? `server ${server}` : undefined)
  return [...paths, ...entered]
}

/** The user asked for this file, so the folder is theirs (D7), and so is what the new server asks for (G2). */
async function acceptWritten(root: string, asked: string | undefined): Promise<void> {
  await using crib = await openCrib({ root, trustFolder: false })
  crib.folder.decide(
    crib.asks.filter(({ key }) => key === asked),
    true,
  )
}

function refuseTaken(paths: readonly string[]): void {
  const taken = paths.find((path) => existsSync(path))
  if (taken !== undefined)
    throw new ToolError('CONFLICT', `${taken} exists already.`, {
      hint: 'Choose another id, or remove the file first.',
    })
}

/** What enters a server into `.mcp.json`; asked for before anything is written. */
async function serverEntry(root: string, name: string, file: string): Promise<() => string[]> {
  const { joinServer } = await import('../join-server.ts')
  return joinServer({ root, name, file, schemas: '.toolcrib/schemas' })
}

function mustBeId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*(\/[A-Za-z0-9][A-Za-z0-9_-]*)*$/.test(id) || id.length > 128)
    throw new UsageError(
      `"${id}" cannot be a tool id.`,
      'Use letters, digits, - and _, with / between folders, for example text/count.',
    )
}
