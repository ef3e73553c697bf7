// Tries MCP servers before they are added: each is started in the fence, asked for its tools, and nothing is written.
import type { Crib } from '../../crib/crib.ts'
import { isFault, readServerSpec } from '../../formats/mcp/server-spec.ts'
import { serverTool } from '../../formats/mcp/server-tool.ts'
import { findingKey } from '../../tool/finding.ts'
import { jsonDigest } from '../../tool/json.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Static } from '../../tool/shape.ts'
import type { Tool } from '../../tool/tool.ts'
import type { FoundServer } from '../clients/read-servers.ts'
import { type InstallOrder, installServer, withoutStack, wordsOf } from './take-in-servers.ts'
import type { triedServerShape } from './tried-server-shape.ts'

export type TriedServer = Static<typeof triedServerShape>

export function tryServers(
  crib: Crib,
  servers: readonly FoundServer[],
  order: InstallOrder,
): Promise<TriedServer[]> {
  return Promise.all(servers.map((server) => tryServer(crib, server, order)))
}

async function tryServer(crib: Crib, server: FoundServer, order: InstallOrder): Promise<TriedServer> {
  const { name, entry, secrets } = server
  const tried = { name, words: wordsOf(entry), secrets: [...secrets] }
  const { failure, notes } = await installServer(crib, server, order)
  if (failure !== undefined)
    return { ...tried, tools: [], capabilities: [], notes: [], problem: { message: notes.join('\n') } }
  const spec = readServerSpec(name, entry, false)
  if (isFault(spec))
    return { ...tried, tools: [], capabilities: [], notes: [...notes], problem: { message: spec.message } }
  const asEntry = serverTool(spec, {
    place: null,
    digest: jsonDigest(spec),
    tier: 'project',
    isOff: false,
  })
  const { tools, problem } = await crib.tryServer(asEntry)
  const found = (await crib.inference()).of(asEntry)
  return {
    ...tried,
    tools: tools.filter((tool) => planOf(tool, 'mcp')?.as === undefined).map(toolOf),
    capabilities: [...new Set(found.map(findingKey))].sort(),
    notes: [...notes],
    problem: problem && { message: withoutStack(problem.message), hint: problem.hint },
  }
}

const hints = {
  readOnlyHint: 'reads only',
  destructiveHint: 'may destroy',
  openWorldHint: 'reaches out',
} as const

function toolOf(tool: Tool): TriedServer['tools'][number] {
  const { annotations } = tool.details as { annotations?: { readonly [name: string]: unknown } }
  return {
    name: planOf(tool, 'mcp')!.tool,
    id: tool.id,
    description: tool.description,
    says: Object.entries(hints).flatMap(([key, words]) => (annotations?.[key] === true ? [words] : [])),
  }
}
