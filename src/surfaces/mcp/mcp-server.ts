// One MCP server over the shared desk: made per connection or request, so it must be cheap. It serves both
// eras of the protocol; the SDK's entries decide which one a connection speaks.
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import type { Expose } from '../../config/config.ts'
import { version } from '../../config/version.ts'
import { callTool } from './call-tool.ts'
import { completions } from './complete.ts'
import type { Desk } from './desk.ts'
import { extraTemplates } from './extras.ts'
import { readExtra } from './read-extra.ts'
import { promptText, readSkillResource } from './read-skill.ts'
import { takeLogLevel } from './send-logs.ts'

/** What stands in place of the tools themselves, loaded when a server offers it. */
const specials = {
  search: async () => (await import('./expose-search.ts')).searchTools,
  code: async () => (await import('./expose-code.ts')).codeTools,
}

const listsMs = 5_000
const discoverMs = 10_000

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
      },
      instructions: instructions[desk.expose],
      cacheHints: {
        'tools/list': { ttlMs: listsMs, cacheScope: 'private' },
        'prompts/list': { ttlMs: listsMs, cacheScope: 'private' },
        'resources/list': { ttlMs: listsMs, cacheScope: 'private' },
        'resources/templates/list': { ttlMs: listsMs, cacheScope: 'private' },
      },
    },
  )
  const special = desk.expose === 'all' ? undefined : specials[desk.expose]
  server.setRequestHandler('tools/list', async () => {
    if (special) return { tools: [...(await special()).definitions] }
    await desk.crib.discover({ timeoutMs: discoverMs })
    return { tools: [...desk.tools] }
  })
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const { name, arguments: args } = params
    if (special) return (await special()).call(desk, server, name, args ?? {}, context)
    return callTool(desk, server, name, args, context) as Promise<CallToolResult>
  })
  takeLogLevel(server)
  serveSkills(server, desk)
  return server
}

function serveSkills(server: Server, desk: Desk): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [...desk.prompts] }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const extra = desk.extras.prompts?.find((prompt) => prompt.name === params.name)
    if (extra) return extra.get(params.arguments ?? {})
    const skill = desk.skills.get(params.name)
    if (!skill)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${params.name}".`)
    const text = promptText(desk.crib.described(skill), params.arguments ?? {}, (tool, args) =>
      desk.crib.expandPrompt(tool, args),
    )
    return {
      description: skill.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    }
  })
  server.setRequestHandler('resources/list', () => ({ resources: [...desk.resources] }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'skill://{name}/{+path}', name: 'skill-file', description: 'A file of a skill folder.' },
      ...extraTemplates(desk.extras),
    ],
  }))
  server.setRequestHandler('resources/read', ({ params }) => {
    if (params.uri.startsWith('skill://')) return readSkillResource(desk.skills, params.uri)
    const extra = readExtra(desk.extras, params.uri)
    if (!extra) throw new ResourceNotFoundError(params.uri)
    return extra
  })
  server.setRequestHandler('completion/complete', ({ params }) => {
    const { ref, argument } = params
    const skill = ref.type === 'ref/prompt' ? desk.skills.get(ref.name) : undefined
    const isExtra =
      ref.type === 'ref/prompt' && desk.extras.prompts?.some((prompt) => prompt.name === ref.name)
    if (isExtra) return { completion: { values: [], total: 0, hasMore: false } }
    if (ref.type === 'ref/prompt' && !skill)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${ref.name}".`)
    if (skill) return { completion: completions(skill, argument.name, argument.value) }
    const names =
      argument.name === 'name'
        ? [...desk.skills.keys()].filter((name) => name.startsWith(argument.value))
        : []
    return { completion: { values: names.slice(0, 100), total: names.length, hasMore: names.length > 100 } }
  })
}

const instructions: { readonly [expose in Expose]: string } = {
  all: 'Tools of a Toolcrib. A failed call carries a code and a hint in _meta["toolcrib/error"].',
  search:
    'This server offers a large catalog of tools. Find one with search_tools, read its parameters with describe_tool, then call it with call_tool.',
  code: 'This server offers a large catalog of tools. Find them with search_tools, read their parameters with describe_tool, then call as many as needed in one go with run_code.',
}
