// The crib as agents and built-in tools see it.
import { type Catalog, isListed } from '../catalog/catalog.ts'
import type { Resolver } from '../catalog/resolver.ts'
import type { Skills } from '../catalog/skills.ts'
import type { Offers } from '../guards/offers.ts'
import type { SkillCalls } from '../guards/skills/skill-calls.ts'
import type { Call } from '../kernel/call.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { CribView } from '../runtimes/agent/crib-view.ts'
import type { Context } from '../runtimes/skill/context.ts'
import { lookedUpIn } from '../runtimes/skill/globals.ts'
import { byCodeUnits } from '../tool/json.ts'
import type { Outcome } from '../tool/outcome.ts'
import { libraryPrincipal, type Principal } from '../tool/principal.ts'
import { describedSchema } from '../tool/schema/resolve-schema.ts'
import type { JsonSchema, Tool } from '../tool/tool.ts'
import type { Breadcrumbs } from './breadcrumbs.ts'

export interface ViewParts {
  readonly env: NodeJS.ProcessEnv
  readonly catalog: Catalog
  readonly skills: Skills
  readonly kernel: Kernel
  readonly calls: SkillCalls
  readonly resolver: Resolver
  readonly crumbs: Breadcrumbs
  readonly offers: Offers
  readonly runsInHost: CribView['runsInHost']
}

export function agentsView(parts: ViewParts): CribView {
  const { env, catalog, skills, kernel, calls, resolver, crumbs, offers, runsInHost } = parts
  const contextOf = (tool: Tool, args?: unknown, from?: object) =>
    calls.blankContext(tool, libraryPrincipal, args, from as Call | undefined)
  return {
    get tools() {
      return catalog.tools
    },
    offered: (principal) =>
      catalog.tools
        .filter((tool) => isListed(tool) && offers.isOffered(tool, principal))
        .sort((a, b) => byCodeUnits(a.id, b.id)),
    isVisible: (tool, principal) => offers.isVisible(tool, principal),
    isReadable: (skill, principal) => offers.isReadable(skill, principal),
    get skills() {
      return skills.index
    },
    env,
    find: (ref, principal) => resolver.known(ref, principal),
    resolve: resolver.resolve,
    runsInHost,
    described: (tool, from) => withSchemas(tool, () => contextOf(tool, undefined, from)),
    blankContext: contextOf,
    callAsAgent: (tool, args, from) => callAsAgent(kernel, tool, args, from as Call),
    // `env://NAME` or `secret://NAME`.
    async secret(ref, by) {
      const name = ref.slice(ref.indexOf('://') + 3)
      if (ref.startsWith('env://')) return env[name] ?? null
      return (await crumbs.secretNamed(name, `the model of ${by}`)) ?? null
    },
  }
}

function callAsAgent(kernel: Kernel, tool: Tool, args: unknown, from: Call): Promise<Outcome> {
  const principal: Principal = { ...from.asPrincipal, surface: 'agent' }
  const { strict, onLog } = from.options
  return kernel.invoke(tool, args, {
    principal,
    parent: from,
    strict: strict || undefined,
    onLog,
  })
}

/** The tool with `$resolve` applied; the same object when there is nothing to resolve. */
function withSchemas(tool: Tool, context: () => Context): Tool {
  const isDynamic = (schema: JsonSchema | null) => schema !== null && '$resolve' in schema
  if (!isDynamic(tool.params) && !isDynamic(tool.returns)) return tool
  const values = lookedUpIn(context())
  return {
    ...tool,
    params: tool.params && describedSchema(tool.params, values),
    returns: tool.returns && describedSchema(tool.returns, values),
  }
}
