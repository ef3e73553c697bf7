// `toolcrib add --from claude`, `add name -- npx -y …`, `add https://…`: takes MCP servers in, tried in the fence and pinned.
import { startsToolcrib } from '../../../formats/mcp/own-entry.ts'
import type { JsonObject } from '../../../tool/json.ts'
import type { FoundServer } from '../../clients/read-servers.ts'
import { isServerName } from '../../servers/pasted-servers.ts'
import { entriesEdit, takeInServers, wordsOf } from '../../servers/take-in-servers.ts'
import { UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { plain } from '../style.ts'
import type { Added, AddOptions } from './added.ts'

export interface ServerOptions extends AddOptions {
  readonly allowsScripts: boolean
}

/** An address or a command as the entry of a new server. */
export function namedServer(name: string, entry: JsonObject): FoundServer {
  if (!isServerName(name))
    throw new UsageError(`"${name}" cannot be the name of a server.`, 'Use letters, digits, - and _.')
  return { name, entry, file: '', secrets: [] }
}

export async function addServers(
  session: Session,
  given: readonly FoundServer[],
  options: ServerOptions,
): Promise<Added> {
  const crib = await session.open({ asksAboutFolder: false })
  const notes: string[] = []
  const servers = given.filter(({ name, entry }) => {
    if (!startsToolcrib(entry)) return true
    notes.push(`${name} is Toolcrib itself and was left out.`)
    return false
  })
  if (servers.length === 0) return { files: [], tools: [], notes: [...notes, 'There is no server to add.'] }
  const { after } = entriesEdit(session.root, servers, session.yes)
  session.note('Servers:')
  for (const { name, entry } of servers) session.note(`  ${plain(name)}: ${plain(wordsOf(entry))}`)
  if (options.dryRun || !(await isAgreed(session)))
    return {
      files: [],
      tools: [],
      notes: [
        ...notes,
        options.dryRun
          ? 'Nothing was written (--dry-run).'
          : 'Nothing was written; add --yes to take them in.',
      ],
      texts: { '.mcp.json': after },
    }
  const taken = await takeInServers(crib, servers, {
    allowsScripts: options.allowsScripts,
    replaces: session.yes,
    signal: session.signal,
    note: (text) => session.note(text),
  })
  return { ...taken, notes: [...notes, ...taken.notes] }
}

async function isAgreed(session: Session): Promise<boolean> {
  if (session.yes) return true
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: 'Install, start and pin these? They run fenced.' })) === true
}
