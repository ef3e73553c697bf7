// Why a foreign tool is missing: its server could not be asked.
import { specOf } from '../../formats/mcp/server-tool.ts'
import { formerMcpToolName, mcpToolName } from '../../tool/mcp-name.ts'
import type { Tool } from '../../tool/tool.ts'

/** What is wrong with the servers a name that was not found may belong to. */
export function aboutServers(servers: readonly Tool[], ref: string) {
  const wanted = ref.replace(/^mcp:(\/\/)?/, '')
  return servers.flatMap((server) => {
    const name = specOf(server)!.name
    const isMeant =
      wanted.startsWith(mcpToolName(name, '')) ||
      wanted.startsWith(`${formerMcpToolName(name, '')}-`) ||
      wanted.split('/', 1)[0] === name
    if (!isMeant || wanted === server.id) return []
    return server.problems.map(({ code, message, hint, file, line }) => ({
      server: name,
      code,
      message,
      hint,
      file,
      line,
    }))
  })
}
