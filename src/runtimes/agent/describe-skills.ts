// The answers of `skill-list`, `skill-describe` and `agent-discover`: what there is, what one of them is, what a
// model may call.

import { notFound } from '../../catalog/lookup.ts'
import { matchingTools, type ToolQuery } from '../../catalog/offered-tools.ts'
import type { Principal } from '../../tool/principal.ts'
import { withoutResolve } from '../../tool/schema/resolve-schema.ts'
import { uriOf } from '../../tool/tool-uri.ts'
import type { CribView } from './crib-view.ts'

type Fields = { [key: string]: unknown }

/** Who asks, and from which running call: its values decide what `$resolve` finds. */
export interface Asking {
  readonly principal: Principal
  readonly from?: object
}

const outside = new Set(['mcp', 'http', 'agent'])

/** Every visible skill that matches; from outside, without middleware. */
export function listSkills(view: CribView, query: ToolQuery, { principal }: Asking): Fields {
  const visible = view.skills.skills.filter(
    (skill) => !skill.hidden && !(skill.kind === 'middleware' && outside.has(principal.surface)),
  )
  return {
    skills: matchingTools(visible, query).map((skill) =>
      present({
        name: skill.id,
        description: skill.description,
        role: skill.details?.role,
        tags: skill.tags,
        src: uriOf(skill),
      }),
    ),
  }
}

/** Everything about one skill or tool; fields without a value are absent. */
export async function describeSkill(view: CribView, ref: string, asking: Asking): Promise<Fields> {
  const { principal } = asking
  const found = await view.resolve(ref, { as: principal, load: 'full' })
  if (!view.isVisible(found, principal))
    throw notFound(
      ref,
      view.tools.map((tool) => tool.id),
    )
  const tool = view.described(found, asking.from)
  const { details = {} } = tool
  return present({
    name: tool.id,
    description: tool.description,
    role: details.role,
    params: tool.params,
    returns: tool.returns,
    tags: tool.tags,
    visibility: details.visibility,
    allowedTools: details.allowedTools,
    license: details.license,
    compatibility: details.compatibility,
    src: uriOf(tool),
    inProcess: details.inProcess && view.runsInHost(tool) ? true : undefined,
    content: details.content,
    problems: tool.problems,
  })
}

/** The tools a model may call that match, with their schemas. */
export function discoverTools(
  view: CribView,
  query: ToolQuery & { readonly limit?: number },
  asking: Asking,
): Fields {
  const found = matchingTools(view.offered(asking.principal), query)
  const shown = found.slice(0, query.limit ?? 20)
  return {
    tools: shown.map((tool) => {
      const { params, returns } = view.described(tool, asking.from)
      return present({
        name: tool.id,
        description: tool.description,
        params: params && withoutResolve(params),
        returns: returns && withoutResolve(returns),
      })
    }),
    leftOff: found.length - shown.length,
  }
}

/** Without what has no value: null, undefined, empty lists. */
function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined &&
        value !== null &&
        value !== '' &&
        !(Array.isArray(value) && value.length === 0),
    ),
  )
}
