// Fills the context of a call: what it inherits from its caller, what the crib states, what was laid over it.
import type { Call } from '../../kernel/call.ts'
import { Context, type Locals, type Run, type ToolFrontmatter } from '../../runtimes/skill/context.ts'
import type { Globals } from '../../runtimes/skill/globals.ts'
import { addHistory } from '../../runtimes/skill/history.ts'
import { isPlainObject } from '../../tool/json.ts'
import { structuredCloneJson } from '../../tool/schema/validate.ts'
import type { Tool } from '../../tool/tool.ts'
import { uriOf } from '../../tool/tool-uri.ts'
import { contextOf } from './context-of.ts'
import { contextAt, type ManagerCalls, managerOf } from './manager.ts'

/** Facts every context starts with. */
export interface Surroundings {
  readonly root: string
  readonly version: string
  /** Values every root call starts with. */
  readonly nonlocals: { readonly [key: string]: unknown }
  /** What all contexts of the crib share. */
  readonly globals: Globals
}

const frontmatters = new WeakMap<Tool, Run['origin']>()

export function makeContext(call: Call, calls: ManagerCalls, surroundings: Surroundings): Context {
  const { root, version, nonlocals: rootValues, globals } = surroundings
  const run = runOf(call.tool)
  const nonlocals: Record<string, unknown> = call.parent
    ? { ...contextOf(call.parent).nonlocals }
    : { ...(structuredCloneJson(rootValues) as object), rootContextId: call.id }
  const locals = call.state as Locals
  locals.config = { cwd: root, root, runtime: { name: 'toolcrib', version } }
  const content = call.tool.details?.content
  locals.prompt = content === undefined ? undefined : { raw: content, expanded: undefined }
  overlay(call.options.context, run, locals, nonlocals)
  addHistory(locals, call)
  const target = call.target === call ? undefined : contextAt(call.target, call.turnOfTarget)
  return new Context(call, { run, nonlocals, globals, manager: managerOf(call, calls) }, target)
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
