// MCP servers that a folder's files bring: programs that would be started only to look. They wait until the user
// accepted them (G2); those of the user's own settings do not.
import { serverWords } from '../config/ask-rules.ts'
import type { Ask } from '../config/folder-asks.ts'
import { type FolderTrust, notAccepted } from '../config/folder-trust.ts'
import { switchedOff } from '../formats/mcp/server-tool.ts'
import { jsonDigest } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'

/** D9: the one command that installs, tries, pins and accepts them. */
const addHint = 'Take the servers of .mcp.json in with `toolcrib add --from claude-code`. Or: '

type ServerAsk = Ask & { readonly tool: Tool }

/** What the servers of a folder ask for; one that is switched off asks for nothing. */
export function serverAsks(tools: readonly Tool[]): ServerAsk[] {
  return tools.flatMap((tool) => {
    const { server } = tool.details ?? {}
    const { file, line } = tool.source
    const isHere = tool.kind === 'server' && tool.tier === 'project' && tool.reason !== switchedOff
    if (!isHere || file === null || typeof server !== 'object') return []
    const name = server.name
    const what = `start the MCP server ${name}: ${serverWords(server)}`
    return [
      {
        tool,
        key: `server ${name}`,
        what,
        file,
        line,
        digest: jsonDigest(server),
      },
    ]
  })
}

/** The tools with servers that were not accepted taken out of service. */
export function holdServers(tools: readonly Tool[], folder: FolderTrust): readonly Tool[] {
  const held = new Map(folder.unaccepted(serverAsks(tools)).map((ask) => [ask.tool, ask]))
  if (held.size === 0) return tools
  return tools.map((tool) => {
    const ask = held.get(tool)
    if (!ask) return tool
    const { hint, ...said } = notAccepted(ask, folder.standingOf(ask))
    const problem = { ...said, hint: `${addHint}${hint}`, toolId: tool.id }
    const reason = 'its folder was not accepted; see `toolcrib trust`'
    return { ...tool, state: 'disabled', reason, problems: [...tool.problems, problem] }
  })
}
