// Completion of arguments: of skills from their schemas, of foreign prompts and resources from their servers.
import type { CompleteRequest, CompleteResult, Server } from '@modelcontextprotocol/server'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { completions } from './complete.ts'
import { noPrompt } from './serve-prompts.ts'

type Params = CompleteRequest['params']

export function serveCompletions(server: Server, clientCatalog: ClientCatalog): void {
  server.setRequestHandler('completion/complete', async ({ params }, { mcpReq }) => {
    const foreign = await foreignCompletion(clientCatalog, params, mcpReq.signal)
    return foreign ?? { completion: ownCompletion(clientCatalog, params) }
  })
}

/** As the server of the prompt or template says; undefined for what is no server's. */
async function foreignCompletion(
  { crib, foreign, principal }: ClientCatalog,
  params: Params,
  signal: AbortSignal,
): Promise<CompleteResult | undefined> {
  const { ref } = params
  const isPrompt = ref.type === 'ref/prompt'
  const tool = isPrompt
    ? foreign.prompts.get(ref.name)
    : foreign.templates.find(({ details }) => details?.uriTemplate === ref.uri)
  const plan = tool && planOf(tool, 'mcp')
  if (!plan) return undefined
  const own = isPrompt ? { ...ref, name: plan.tool } : ref
  return (await crib.complete(tool, { ...params, ref: own }, principal, signal)) as CompleteResult
}

function ownCompletion(
  { skills, extras }: ClientCatalog,
  { ref, argument }: Params,
): CompleteResult['completion'] {
  if (ref.type === 'ref/prompt') {
    if (extras.prompts?.some((prompt) => prompt.name === ref.name))
      return { values: [], total: 0, hasMore: false }
    const skill = skills.get(ref.name)
    if (!skill) throw noPrompt(ref.name)
    return completions(skill, argument.name, argument.value)
  }
  const names =
    argument.name === 'name' ? [...skills.keys()].filter((name) => name.startsWith(argument.value)) : []
  return { values: names.slice(0, 100), total: names.length, hasMore: names.length > 100 }
}
