// Fills the context of a call: what it inherits from its caller, what the crib states, what was laid over it.

import { globals } from '../runtimes/skill/globals.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'
import { uriOf } from '../tool/tool-uri.ts'
import type { Call } from './call.ts'
import { Context, type Run, type ToolFrontmatter } from './context.ts'
import { addHistory } from './history.ts'
import type { Surroundings } from './kernel.ts'
import { contextAt, managerOf, type Workshop } from './manager.ts'

const frontmatters = new WeakMap<Tool, Run['origin']>()

export class ContextMaker {
  readonly #workshop: Workshop
  readonly #surroundings: () => Surroundings

  constructor(workshop: Workshop, surroundings: () => Surroundings) {
    this.#workshop = workshop
    this.#surroundings = surroundings
  }

  readonly make = (call: Call): Context => {
    const { root, version, nonlocals: rootValues } = this.#surroundings()
    const run = runOf(call.tool)
    const nonlocals: Record<string, unknown> = call.parent
      ? { ...call.parent.context.nonlocals }
      : { ...rootValues, rootContextId: call.id }
    const { locals } = call
    locals.config = { cwd: root, root, runtime: { name: 'toolcrib', version } }
    const content = call.tool.details?.content
    if (content !== undefined) locals.prompt = { raw: content, expanded: undefined }
    overlay(call.options.context, run, locals, nonlocals)
    addHistory(locals, call)
    const target = call.target === call ? undefined : contextAt(call.target, call.place!)
    return new Context(call, { run, nonlocals, globals, manager: managerOf(call, this.#workshop) }, target)
  }
}

function overlay(given: CallContext, ...[run, locals, nonlocals]: Record<string, unknown>[]): void {
  if (!given) return
  const parts = { run, locals, nonlocals }
  for (const [name, part] of Object.entries(parts)) {
    const values = given[name]
    if (!isPlainObject(values)) continue
    for (const [key, value] of Object.entries(values)) if (key !== '__proto__') part![key] = value
  }
}

type CallContext = { readonly [part: string]: unknown } | undefined

function runOf(tool: Tool): Run {
  const { details = {} } = tool
  return {
    origin: originOf(tool),
    tool: {
      name: tool.id,
      description: tool.description,
      params: tool.params,
      returns: tool.returns,
      tags: tool.tags,
      role: details.role,
      visibility: details.visibility,
      'allowed-tools': details.allowedTools,
    },
  }
}

function originOf(tool: Tool): Run['origin'] {
  let origin = frontmatters.get(tool)
  if (!origin) {
    origin = Object.freeze({ uri: uriOf(tool), frontmatter: Object.freeze(frontmatterOf(tool)) })
    frontmatters.set(tool, origin)
  }
  return origin
}

/** The frontmatter as loaded: lifted fields beside the metadata they come from. */
function frontmatterOf(tool: Tool): ToolFrontmatter {
  const { details = {} } = tool
  const fields: Record<string, unknown> = {
    name: tool.id,
    description: tool.description,
    'allowed-tools': details.allowedTools,
    license: details.license,
    compatibility: details.compatibility,
    metadata: details.metadata,
    role: details.role,
    params: tool.params ?? undefined,
    returns: tool.returns ?? undefined,
    visibility: details.visibility,
    tags: tool.tags.length > 0 ? tool.tags : undefined,
  }
  for (const key of Object.keys(fields)) if (fields[key] === undefined) delete fields[key]
  return fields as unknown as ToolFrontmatter
}
