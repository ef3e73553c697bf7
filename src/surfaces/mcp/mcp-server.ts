// One MCP server over the shared catalog of a client: made per connection or request, so it must be cheap. It serves both
// eras of the protocol; the SDK's entries decide which one a connection speaks.
import {
  type CallToolResult,
  type Tool as McpTool,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { version } from '../../config/version.ts'
import { callTool } from './call-tool.ts'
import { type ClientCatalog, listed } from './client-catalog.ts'
import { followRoots } from './follow-roots.ts'
import { instructionsFor } from './instructions.ts'
import { takeLogLevel } from './send-logs.ts'
import { serveCompletions } from './serve-completions.ts'
import { servePrompts } from './serve-prompts.ts'
import { serveResources } from './serve-resources.ts'
import { serveSkills, skillsExtension } from './serve-skills.ts'
import { serveTasks, taskCapability, tasksExtension } from './serve-tasks.ts'
import { callSkillTool, skillTools } from './skill-tools.ts'

/** What stands in place of the tools themselves, loaded when a server offers it. */
const specials = {
  search: async () => (await import('./expose-search.ts')).searchTools,
  code: async () => (await import('./expose-code.ts')).codeTools,
}

const listsMs = 5_000

/** A server that offers what the client may use. */
export function mcpServer(clientCatalog: ClientCatalog): Server {
  const server = new Server(
    { name: 'toolcrib', title: 'Toolcrib', version: version() },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        tasks: taskCapability,
        extensions: { [skillsExtension]: {}, [tasksExtension]: {} },
      },
      instructions: instructionsFor(clientCatalog),
      cacheHints: {
        'tools/list': { ttlMs: listsMs, cacheScope: 'private' },
        'prompts/list': { ttlMs: listsMs, cacheScope: 'private' },
        'resources/list': { ttlMs: listsMs, cacheScope: 'private' },
        'resources/templates/list': { ttlMs: listsMs, cacheScope: 'private' },
      },
    },
  )
  const special = clientCatalog.expose === 'all' ? undefined : specials[clientCatalog.expose]
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    if (special) return { tools: [...(await special()).definitions, ...skillTools(clientCatalog)] }
    await listed(clientCatalog)
    return { tools: [...toolsFor(clientCatalog, mcpReq), ...skillTools(clientCatalog)] }
  })
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const { name, arguments: args } = params
    const skill = callSkillTool(clientCatalog, name, args)
    if (skill) return skill
    if (special) return (await special()).call({ clientCatalog, server, context }, name, args ?? {})
    return callTool(clientCatalog, server, params, context) as Promise<CallToolResult>
  })
  takeLogLevel(server)
  followRoots(server, clientCatalog)
  servePrompts(server, clientCatalog)
  serveResources(server, clientCatalog)
  serveCompletions(server, clientCatalog)
  serveSkills(server, clientCatalog)
  serveTasks(server, clientCatalog)
  return server
}

/** Clients of the older era may ask for a task where a tool says so; what a foreign server says stays. */
function toolsFor({ crib, tools }: ClientCatalog, { envelope }: ServerContext['mcpReq']): readonly McpTool[] {
  if (envelope !== undefined) return tools
  return tools.map((tool) => {
    if (tool._meta?.['toolcrib/format'] === 'mcp') return tool
    const isRequired = crib.config.tools[String(tool._meta?.['toolcrib/id'])]?.task === 'required'
    return { ...tool, execution: { taskSupport: isRequired ? 'required' : 'optional' } }
  })
}
