// What a client is offered of the prompts and resources of foreign servers, in the words of their servers (U1).
import type { Prompt, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { prefixed } from '../../catalog/addresses.ts'
import type { Tool } from '../../tool/tool.ts'

export interface ForeignOffer {
  readonly prompts: ReadonlyMap<string, Tool>
  /** By the address it has for this client. */
  readonly resources: ReadonlyMap<string, Tool>
  readonly templates: readonly Tool[]
  /** What servers tell clients of how to use them. */
  readonly instructions: readonly Tool[]
}

/** `known`: addresses of all resources of the crib; `isTaken`: names and addresses that are somebody else's. */
export function foreignOffer(
  tools: readonly Tool[],
  known: ReadonlyMap<string, Tool>,
  isTaken: (nameOrUri: string) => boolean,
): ForeignOffer {
  const offered = new Set(tools)
  const prompts = new Map<string, Tool>()
  for (const tool of tools) if (tool.kind === 'prompt') prompts.set(nameFor(tool, isTaken), tool)
  const resources = new Map<string, Tool>()
  for (const [uri, tool] of known)
    if (offered.has(tool)) resources.set(isTaken(uri) ? prefixed(tool, uri) : uri, tool)
  const templates = tools.filter(({ details }) => details?.uriTemplate !== undefined)
  const instructions = tools.filter(({ kind }) => kind === 'instructions')
  return { prompts, resources, templates, instructions }
}

function nameFor({ name }: Tool, isTaken: (name: string) => boolean): string {
  return isTaken(name) ? `${name}-prompt` : name
}

export function promptDefinitions({ prompts }: ForeignOffer): Prompt[] {
  return [...prompts].map(([name, tool]) => ({ ...tool.details?.more, name }))
}

export function resourceDefinitions({ resources }: ForeignOffer): Resource[] {
  return [...resources].map(([uri, tool]) => ({ ...(tool.details?.more as object as Resource), uri }))
}

export function templateDefinitions({ templates }: ForeignOffer): ResourceTemplateType[] {
  return templates.map((tool) => tool.details?.more as object as ResourceTemplateType)
}
