// `toolcrib list`: what is here.
import { Option } from 'commander'
import type { ListFilter } from '../../../catalog/catalog.ts'
import type { Crib } from '../../../crib/crib.ts'
import { boundToOffer, offeredNames } from '../../../guards/offer-selection.ts'
import type { Tool } from '../../../tool/tool.ts'
import { toolKinds } from '../../../tool/tool-shape.ts'
import { operator } from '../../http/principals.ts'
import { askServers } from '../ask-servers.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { countProblems, problemLines } from '../print-problems.ts'
import type { Session } from '../session.ts'
import { columns, noteStyle, outStyle, plain } from '../style.ts'

export const list: CliCommand = {
  examples: [
    ['toolcrib list', 'every tool one can call'],
    ['toolcrib list mail', 'those about mail, best first'],
    ['toolcrib list --format rye --all', 'all rye entries, runtimes and broken ones too'],
    ['toolcrib list --kind resource', 'what MCP servers offer to be read; also --kind prompt'],
    ['toolcrib list --offer notes', 'what a client of that offer gets, under the names it gives'],
    ['toolcrib list --json | jq .tools[].id', 'for scripts'],
  ],
  define(command) {
    command
      .argument('[query]', 'words to search for')
      .option('--format <format>', 'only this format')
      .option('--tag <tag>', 'only tools with this tag')
      .addOption(new Option('--kind <kind>', 'only this kind').choices(toolKinds))
      .option('--offer <name>', 'only what clients of this offer of toolcrib.yaml get')
      .option('--refresh', 'ask every MCP server again, also one that answered or failed a moment ago')
      .option('--all', 'hidden, middleware, runtimes, unavailable and broken ones too')
  },
  async run(session, [query], options) {
    const crib = await session.open()
    const refresh = options['refresh'] === true
    await askServers(session, (onWaiting) => crib.discover({ refresh, onWaiting }))
    const filter = options as ListFilter
    if (filter.format !== undefined) await mustBeFormat(filter.format, crib)
    const offer = offerOf(crib, options['offer'] as string | undefined)
    const all = crib.list(filter).filter(offer.holds)
    const tools = query === undefined ? all : await searched(query, all, session)
    const problems = crib.problems
    if (session.json) {
      session.outJson({ tools, problems })
      return 0
    }
    const lines = columns(tools.map((tool) => row(tool, offer.nameOf(tool))))
    if (lines.length > 0) session.out(lines.join('\n'))
    if (tools.length === 0)
      session.note(
        query !== undefined
          ? `Nothing found for "${query}".`
          : crib.list().length > 0
            ? 'No tool here is like that. See `toolcrib list`, or add --all.'
            : 'No tools here yet. Write one with `toolcrib new`, or see `toolcrib list --all`.',
      )
    for (const { code, message, hint } of problems)
      if (code === 'mcp-login-needed') session.note(noteStyle.yellow(`${plain(message)} ${hint}`))
    const serious = problems.filter((problem) => problem.severity === 'error')
    if (session.verbose) for (const line of problemLines(problems)) session.note(line)
    else if (serious.length > 0)
      session.note(noteStyle.yellow(`${countProblems(serious)} in this crib; see \`toolcrib list -v\`.`))
    const left = crib.folder.unaccepted(crib.asks)
    if (left.length > 0) session.note(noteStyle.yellow(notCounted(left)))
    return 0
  },
}

/** What the folder asks for and does not get yet, with the command that changes that. */
function notCounted(left: readonly { readonly key: string }[]): string {
  const servers = left.filter(({ key }) => key.startsWith('server ')).length
  const hint =
    servers === left.length
      ? `take ${servers === 1 ? 'it' : 'them'} in with \`toolcrib add --from claude-code\``
      : 'see and accept it with `toolcrib trust`'
  const what =
    servers === left.length
      ? `${servers} MCP server${servers === 1 ? '' : 's'} of this folder`
      : `${left.length} thing${left.length === 1 ? '' : 's'} this folder asks for`
  return `${what} ${left.length === 1 ? 'does' : 'do'} not count yet; ${hint}.`
}

interface Shown {
  holds(tool: Tool): boolean
  nameOf(tool: Tool): string
}

/** Which tools are shown, and as what: all of them by id, or those of an offer by the names its clients know. */
function offerOf(crib: Crib, name: string | undefined): Shown {
  if (name === undefined) return { holds: () => true, nameOf: (tool) => addressOf(tool, crib) ?? tool.id }
  const principal = boundToOffer(operator, name, crib.config)
  const holds = (tool: Tool) => crib.offers.isOffered(tool, principal)
  const names = offeredNames(crib.list().filter(holds), crib.config.offers[name]!.rename)
  return { holds, nameOf: (tool) => names.get(tool) ?? tool.name }
}

/** A resource is known by its address. */
function addressOf({ kind, details }: Tool, { catalog }: Crib): string | undefined {
  if (kind !== 'resource') return undefined
  if (details?.uri === undefined) return details?.uriTemplate
  const clash = catalog.atAddress(details.uri)?.details?.server !== details.server
  return clash ? undefined : details.uri
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

function row(tool: Tool, name: string): string[] {
  const marks = [
    ...(tool.state === 'available' ? [] : [tool.state]),
    ...(tool.details?.experimental ? ['experimental'] : []),
  ]
  const state = marks.length > 0 ? outStyle.yellow(` (${marks.join(', ')})`) : ''
  return [
    outStyle.bold(plain(oneLine(name))) + state,
    outStyle.dim(tool.kind === 'callable' ? tool.format : `${tool.format} ${tool.kind}`),
    plain(oneLine(firstLine(tool.description))),
  ]
}

/** A file may have a line break in its name, and an id with it; a tab takes more columns than one. */
function oneLine(text: string): string {
  return text.replace(/\s/g, ' ')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.trim()
}
