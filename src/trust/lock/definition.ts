// The canonical definition of a tool: what a caller or a model is told about it and what it may do, without anything
// that depends on where the crib stands, on other tools, or on this version of the program.
import type { JsonObject } from '../../tool/json.ts'
import type { Tool, ToolDetails } from '../../tool/tool.ts'

/**
 * Fields in the order a reader wants them; empty ones are left out, but for `requires`: that nothing is
 * needed is said too. `isFormer`: as version 0.1.0 wrote it, which knew
 * less of a foreign server's tool.
 */
export function definitionOf(tool: Tool, isFormer = false): JsonObject {
  const plan = tool.runtime?.plan
  const fields: { readonly [name: string]: unknown } = {
    title: tool.title,
    description: tool.description,
    version: tool.version,
    kind: tool.kind,
    aliases: tool.aliases.filter((alias) => alias !== tool.details?.formerId),
    params: tool.params,
    returns: tool.returns,
    requires: tool.requires,
    permissions: plan && 'permissions' in plan ? plan.permissions : undefined,
    secrets: tool.secrets,
    programs: tool.needsBins,
    // Of rye tools they come in part from the runtimes that ship with the program.
    limits: tool.details?.rye ? undefined : tool.limits,
    retry: tool.retry,
    cost: tool.cost,
    tags: tool.tags,
    hidden: tool.hidden || undefined,
    // What is in no file is pinned here in full: the program or address of a server, code kept in the store.
    plan: isInFiles(tool) ? undefined : plan,
    facts: isInFiles(tool) ? undefined : factsOf(tool, isFormer),
  }
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== undefined && value !== null && (name === 'requires' || !isEmpty(value)),
    ),
  ) as JsonObject
}

/** The definition as version 0.1.0 wrote it, which left an empty list of needs out. */
export function withoutEmptyNeeds(definition: JsonObject): JsonObject {
  const { requires, ...rest } = definition
  return requires !== undefined && isEmpty(requires) ? rest : definition
}

function factsOf({ details }: Tool, isFormer: boolean): ToolDetails | undefined {
  if (details?.more === undefined) return details
  const { formerId: _id, more, ...facts } = details
  return isFormer ? facts : { ...facts, more }
}

/** True when the tool's files say everything about it. A server's file speaks of other servers too. */
export function isInFiles(tool: Tool): boolean {
  return tool.source.file !== null && tool.details?.server === undefined
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && Object.keys(value as object).length === 0
}
