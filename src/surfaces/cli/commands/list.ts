// `toolcrib list`: what is here.
import { Option } from 'commander'
import type { ListFilter } from '../../../catalog/catalog.ts'
import type { Crib } from '../../../crib/crib.ts'
import type { Tool } from '../../../tool/tool.ts'
import { askServers } from '../ask-servers.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { countProblems, problemLines } from '../print-problems.ts'
import type { Session } from '../session.ts'
import { columns, noteStyle, outStyle, plain } from '../style.ts'

const kinds = ['callable', 'middleware', 'context', 'runtime', 'primitive', 'library', 'server']

export const list: CliCommand = {
  examples: [
    ['toolcrib list', 'every tool one can call'],
    ['toolcrib list mail', 'those about mail, best first'],
    ['toolcrib list --format rye --all', 'all rye entries, runtimes and broken ones too'],
    ['toolcrib list --json | jq .tools[].id', 'for scripts'],
  ],
  define(command) {
    command
      .argument('[query]', 'words to search for')
      .option('--format <format>', 'only this format')
      .option('--tag <tag>', 'only tools with this tag')
      .addOption(new Option('--kind <kind>', 'only this kind').choices(kinds))
      .option('--refresh', 'ask every MCP server again, also one that answered or failed a moment ago')
      .option('--all', 'hidden, middleware, runtimes, unavailable and broken ones too')
  },
  async run(session, [query], options) {
    const crib = await session.open()
    const refresh = options['refresh'] === true
    await askServers(session, (onWaiting) => crib.discover({ refresh, onWaiting }))
    const filter = options as ListFilter
    if (filter.format !== undefined) await mustBeFormat(filter.format, crib)
    const all = crib.list(filter)
    const tools = query === undefined ? all : await searched(query, all, session)
    const problems = crib.problems
    if (session.json) {
      session.outJson({ tools, problems })
      return 0
    }
    for (const line of columns(tools.map(row))) session.out(line)
    if (tools.length === 0)
      session.note(
        query !== undefined
          ? `Nothing found for "${query}".`
          : crib.list().length > 0
            ? 'No tool here is like that. See `toolcrib list`, or add --all.'
            : 'No tools here yet. Write one with `toolcrib new`, or see `toolcrib list --all`.',
      )
    const serious = problems.filter((problem) => problem.severity === 'error')
    if (session.verbose) for (const line of problemLines(problems)) session.note(line)
    else if (serious.length > 0)
      session.note(noteStyle.yellow(`${countProblems(serious)} in this crib; see \`toolcrib list -v\`.`))
    return 0
  },
}

async function mustBeFormat(given: string, crib: Crib): Promise<void> {
  const names = (await crib.formats()).map(({ name }) => name)
  if (names.includes(given)) return
  throw new UsageError(`There is no format "${given}".`, `There are ${names.join(', ')}.`)
}

async function searched(query: string, among: readonly Tool[], session: Session): Promise<Tool[]> {
  const crib = await session.open()
  const hits = await crib.search(query, 1000)
  const wanted = new Set(among)
  const found = hits.map((hit) => hit.tool).filter((tool) => wanted.has(tool))
  return session.json ? among.filter((tool) => found.includes(tool)) : found
}

function row(tool: Tool): string[] {
  const marks = [
    ...(tool.state === 'available' ? [] : [tool.state]),
    ...(tool.details?.experimental ? ['experimental'] : []),
  ]
  const state = marks.length > 0 ? outStyle.yellow(` (${marks.join(', ')})`) : ''
  return [
    outStyle.bold(plain(oneLine(tool.id))) + state,
    outStyle.dim(tool.kind === 'callable' ? tool.format : `${tool.format} ${tool.kind}`),
    plain(firstLine(tool.description)),
  ]
}

/** A file may have a line break in its name, and an id with it. */
function oneLine(text: string): string {
  return text.replace(/\s/g, ' ')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.trim()
}
