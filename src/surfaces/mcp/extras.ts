// Prompts and resources that a program which embeds Toolcrib offers besides those of the crib's skills.
import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Variables,
} from '@modelcontextprotocol/server'
import type { CallerAnswers } from '../../tool/caller-answers.ts'

/** `asks`: what the client can be asked meanwhile; absent members are what it cannot. */
export interface ExtraPrompt extends Prompt {
  get(
    args: { readonly [name: string]: string },
    asks: CallerAnswers,
  ): GetPromptResult | Promise<GetPromptResult>
}

export interface ExtraResource extends Resource {
  read(): ReadResourceResult | Promise<ReadResourceResult>
}

export interface ExtraTemplate extends ResourceTemplateType {
  read(uri: string, variables: Variables): ReadResourceResult | Promise<ReadResourceResult>
}

/**
 * What MCP clients are offered on top of the crib.
 *
 * @example
 * const { url } = await crib.serve({
 *   extras: { resources: [{ uri: 'app://status', name: 'status', read: () => ({ contents: [{ uri: 'app://status', text: 'fine' }] }) }] },
 * })
 */
export interface McpExtras {
  readonly prompts?: readonly ExtraPrompt[]
  readonly resources?: readonly ExtraResource[]
  readonly templates?: readonly ExtraTemplate[]
}

export function extraPrompts({ prompts = [] }: McpExtras): Prompt[] {
  return prompts.map(({ get: _get, ...prompt }) => prompt as Prompt)
}

export function extraResources({ resources = [] }: McpExtras): Resource[] {
  return resources.map(({ read: _read, ...resource }) => resource as Resource)
}

export function extraTemplates({ templates = [] }: McpExtras): ResourceTemplateType[] {
  return templates.map(({ read: _read, ...template }) => template as ResourceTemplateType)
}
