// `--expose search`: three tools in place of thousands. The model searches, reads one definition, calls it.
import {
  type CallToolResult,
  type Tool as McpTool,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { faultDetails } from '../../tool/schema/validate.ts'
import { errorData, isToolError, ToolError } from '../../tool/tool-error.ts'
import { callResolved, missingTool } from './call-tool.ts'
import type { ClientRequest } from './client-call.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { errorResult } from './tool-result.ts'

export type Args = { readonly [name: string]: unknown }

/** The two tools that find others. */
const findingDefinitions: readonly McpTool[] = [
  {
    name: 'search_tools',
    description: 'Finds tools by words; best matches first.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool should do.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'describe_tool',
    description: "A tool's description, parameters and result.",
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
]

const callDefinition: McpTool = {
  name: 'call_tool',
  description: 'Calls a tool found with search_tools.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      params: { type: 'object', description: 'Parameters as describe_tool states them.' },
    },
    required: ['name'],
  },
}

async function callTool(
  { clientCatalog, server, context }: ClientRequest,
  args: Args,
): Promise<CallToolResult> {
  // A name that a model made up is a result, so that it can correct itself.
  const wanted = requiredText(args, 'name')
  const tool = await clientCatalog.resolve(wanted)
  if (!tool) {
    clientCatalog.noteHidden(wanted)
    return errorResult(await missingTool(clientCatalog, wanted), false)
  }
  return callResolved(clientCatalog, server, tool, args['params'], context) as Promise<CallToolResult>
}

/** The tools that stand in place of all others: the two that find them, and one that uses what they find. */
export function fewTools(
  last: McpTool,
  use: (request: ClientRequest, args: Args) => Promise<CallToolResult>,
) {
  return {
    definitions: [...findingDefinitions, last],
    async call(request: ClientRequest, name: string, args: Args): Promise<CallToolResult> {
      try {
        const found = await findTools(request.clientCatalog, name, args)
        if (found) return found
        if (name === last.name) return await use(request, args)
      } catch (error) {
        // Wrong arguments are a result, so that a model can correct itself.
        if (!isToolError(error)) throw error
        return errorResult(errorData(error), false)
      }
      const known = `There is no tool "${name}"; there are search_tools, describe_tool and ${last.name}.`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, known)
    },
  }
}

/** Answers `search_tools` and `describe_tool`; undefined for every other name. */
async function findTools(
  clientCatalog: ClientCatalog,
  name: string,
  args: Args,
): Promise<CallToolResult | undefined> {
  if (name === 'search_tools')
    return answer(await search(clientCatalog, requiredText(args, 'query'), Number(args['limit'] ?? 10)))
  if (name !== 'describe_tool') return undefined
  const wanted = requiredText(args, 'name')
  const tool = await clientCatalog.resolve(wanted)
  if (!tool) return errorResult(await missingTool(clientCatalog, wanted), false)
  const { _meta, ...definition } = clientCatalog.definitionOf(tool)
  return answer(definition)
}

async function search(
  clientCatalog: ClientCatalog,
  query: string,
  limit: number,
): Promise<{ tools: object[] }> {
  const hits = await clientCatalog.crib.search(query, 200)
  return {
    tools: hits
      .filter(({ tool }) => clientCatalog.crib.offers.isOffered(tool, clientCatalog.principal))
      .slice(0, Math.min(Math.max(limit || 10, 1), 100))
      .map(({ tool }) => ({ name: clientCatalog.nameOf(tool), description: tool.description })),
  }
}

function answer(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value as never }
}

export function requiredText(args: Args, name: string): string {
  const value = args[name]
  if (typeof value === 'string' && value !== '') return value
  const fault = { pointer: `/${name}`, keyword: 'type', message: 'must be a text' }
  throw new ToolError('PARAMS_INVALID', `"${name}" must be a text.`, {
    hint: `Give "${name}" as its definition says, and call it again.`,
    details: faultDetails([fault]),
  })
}

export const searchTools = fewTools(callDefinition, callTool)
