// One MCP server over the shared desk: made per connection or request, so it must be cheap. It serves both
// eras of the protocol; the SDK's entries decide which one a connection speaks.
import {
  type CallToolResult,
  type Tool as McpTool,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { version } from '../../config/version.ts'
import { callTool } from './call-tool.ts'
import { type Desk, listed } from './desk.ts'
import { followRoots } from './follow-roots.ts'
import { instructionsFor } from './instructions.ts'
import { takeLogLevel } from './send-logs.ts'
import { serveCompletions } from './serve-completions.ts'
import { servePrompts } from './serve-prompts.ts'
import { serveResources } from './serve-resources.ts'
import { serveSkills, skillsExtension } from './serve-skills.ts'
import { serveTasks, taskCapabilities, tasksExtension } from './serve-tasks.ts'
import { callSkillTool, skillTools } from './skill-tools.ts'

/** What stands in place of the tools themselves, loaded when a server offers it. */
const specials = {
  search: async () => (await import('./expose-search.ts')).searchTools,
  code: async () => (await import('./expose-code.ts')).codeTools,
}

const listsMs = 5_000

/** A server that offers what the desk's principal may use. */
export function mcpServer(desk: Desk): Server {
  const server = new Server(
    { name: 'toolcrib', title: 'Toolcrib', version: version() },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        ...taskCapabilities(desk),
        extensions: {
          [skillsExtension]: {},
          ...(desk.crib.servesRequests && { [tasksExtension]: {} }),
        },
      },
      instructions: instructionsFor(desk),
      cacheHints: {
        'tools/list': { ttlMs: listsMs, cacheScope: 'private' },
        'prompts/list': { ttlMs: listsMs, cacheScope: 'private' },
        'resources/list': { ttlMs: listsMs, cacheScope: 'private' },
        'resources/templates/list': { ttlMs: listsMs, cacheScope: 'private' },
      },
    },
  )
  const special = desk.expose === 'all' ? undefined : specials[desk.expose]
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    if (special) return { tools: [...(await special()).definitions, ...skillTools(desk)] }
    await listed(desk)
    return { tools: [...toolsFor(desk, mcpReq), ...skillTools(desk)] }
  })
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const { name, arguments: args } = params
    const skill = callSkillTool(desk, name, args)
    if (skill) return skill
    if (special) return (await special()).call(desk, server, name, args ?? {}, context)
    return callTool(desk, server, params, context) as Promise<CallToolResult>
  })
  takeLogLevel(server)
  followRoots(server, desk)
  servePrompts(server, desk)
  serveResources(server, desk)
  serveCompletions(server, desk)
  serveSkills(server, desk)
  serveTasks(server, desk)
  return server
}

/** Clients of the older era may ask for a task where a tool says so; what a foreign server says stays. */
function toolsFor({ crib, tools }: Desk, { envelope }: ServerContext['mcpReq']): readonly McpTool[] {
  if (!crib.servesRequests || envelope !== undefined) return tools
  return tools.map((tool) => {
    if (tool._meta?.['toolcrib/format'] === 'mcp') return tool
    const isRequired = crib.config.tools[String(tool._meta?.['toolcrib/id'])]?.task === 'required'
    return { ...tool, execution: { taskSupport: isRequired ? 'required' : 'optional' } }
  })
}
