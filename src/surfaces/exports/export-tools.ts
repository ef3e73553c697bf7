// Tools as definitions for other systems, with what that loses, and the way back: a model's call to a tool and
// its parameters.

import { defined } from '../../tool/defined.ts'
import type { Exporter, Loss, RewrittenSchema } from '../../tool/exporter.ts'
import { nearNames } from '../../tool/near-names.ts'
import type { Tool } from '../../tool/tool.ts'
import { messageOf, ToolError } from '../../tool/tool-error.ts'
import type { Definitions } from './definitions.ts'
import { anyName, asItIs, type Provider, paramsOf, providerNames, providers } from './providers.ts'

export interface ExportedTools<Definition = object> {
  /** What to send to the provider. */
  readonly definitions: Definition[]
  /** What the definitions cannot say as the tools say it. */
  readonly losses: readonly Loss[]
  /**
   * The tool and the parameters a model means. `args` may be the JSON text that some providers send. Throws
   * TOOL_NOT_FOUND for an unknown name and PARAMS_INVALID for text that is no JSON.
   */
  toCall(name: string, args?: unknown): { readonly tool: Tool; readonly params: unknown }
}

interface Exported {
  readonly tool: Tool
  readonly rewritten: RewrittenSchema
}

/**
 * Definitions of tools for a provider.
 *
 * @example
 * await using crib = await openCrib({ root: '.' })
 * const { definitions, toCall } = exportTools(crib.list(), 'openai')
 * // …send `definitions`; when the model calls one:
 * const { tool, params } = toCall('utility_hello', '{"name":"Ada"}')
 * await crib.call(tool, params)
 *
 * `more` are those that plugins bring: `crib.exporters`.
 */
export function exportTools<P extends Provider>(
  tools: readonly Tool[],
  provider: P,
): ExportedTools<Definitions[P]>
export function exportTools(
  tools: readonly Tool[],
  provider: string,
  more?: readonly Exporter[],
): ExportedTools
export function exportTools(
  tools: readonly Tool[],
  provider: string,
  more: readonly Exporter[] = [],
): ExportedTools {
  const exporter =
    more.find(({ name }) => name === provider) ??
    (Object.hasOwn(providers, provider) ? providers[provider as Provider] : undefined)
  if (!exporter)
    throw new ToolError('CONFIG_INVALID', `There is no export for "${String(provider)}".`, {
      hint: `There are exports for ${exporterNames(more).join(', ')}.`,
    })
  const byName = new Map<string, Exported>()
  const losses: Loss[] = []
  const { maxTools = Number.POSITIVE_INFINITY } = exporter
  const definitions = tools.map((given, index) => {
    const tool = withinLimit(given, exporter.maxDescription, losses)
    if (index === maxTools)
      losses.push({
        tool: tool.id,
        pointer: '',
        keyword: 'tools',
        effect: 'cut',
        message: `${provider} takes at most ${maxTools} tools at once, these are ${tools.length}: send a part of them, or let the model search`,
      })
    const name = nameFor(tool, exporter.toolName ?? anyName, byName)
    const rewritten = (exporter.schema ?? asItIs)(paramsOf(tool))
    byName.set(name, { tool, rewritten })
    for (const loss of rewritten.losses) losses.push({ tool: tool.id, ...loss })
    return exporter.definition(tool, name, rewritten)
  })
  return { definitions, losses, toCall: (name, args) => toCall(byName, name, args) }
}

/** The tool with a description that the provider takes. */
function withinLimit(tool: Tool, most: number | undefined, losses: Loss[]): Tool {
  const { description } = tool
  if (most === undefined || description.length <= most) return tool
  const message = `the description is cut from ${description.length} to ${most} characters`
  losses.push({ tool: tool.id, pointer: '', keyword: 'description', effect: 'cut', message })
  return { ...tool, description: `${description.slice(0, most - 1)}…` }
}

/** Of what ships, then of plugins. */
export function exporterNames(more: readonly Exporter[]): string[] {
  return [...providerNames, ...more.map(({ name }) => name)]
}

function nameFor(tool: Tool, allowed: RegExp, taken: ReadonlyMap<string, unknown>): string {
  if (allowed.test(tool.name) && !taken.has(tool.name)) return tool.name
  const clean = `_${tool.name}`.slice(0, 60)
  let name = clean
  for (let n = 2; taken.has(name); n++) name = `${clean}_${n}`
  return name
}

function toCall(byName: ReadonlyMap<string, Exported>, name: string, args: unknown) {
  const exported = byName.get(name)
  if (!exported) {
    const near = nearNames(name, [...byName.keys()])
    throw new ToolError(
      'TOOL_NOT_FOUND',
      `No tool was exported under the name "${name}".`,
      defined({
        hint: near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(' or ')}?` : undefined,
      }),
    )
  }
  return { tool: exported.tool, params: exported.rewritten.restore(argumentsOf(exported.tool, args)) }
}

function argumentsOf(tool: Tool, args: unknown): unknown {
  if (args === undefined || args === null || args === '') return {}
  if (typeof args !== 'string') return args
  try {
    return JSON.parse(args)
  } catch (error) {
    throw new ToolError('PARAMS_INVALID', `The arguments for ${tool.id} are no JSON: ${messageOf(error)}.`)
  }
}
