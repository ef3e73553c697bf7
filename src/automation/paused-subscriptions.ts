// Which tools' subscriptions a person has paused. The state is a breadcrumb, so every node and process hears of a
// change through the feed, and it lasts over restarts. While paused, events wait in the store.
import type { Crumbs } from '../events/crumbs.ts'
import type { Crumb } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Principal } from '../tool/principal.ts'

export const pauseSchema = 'system.subscription.v1'
const maxPaused = 1000

/** The ids of the tools that are paused. */
export async function pausedTools(store: CrumbStore): Promise<ReadonlySet<string>> {
  const states = await store.crumbs.list({ viewer: null, schema: pauseSchema, limit: maxPaused })
  return new Set(states.crumbs.flatMap((crumb) => (stateOf(crumb).paused ? [stateOf(crumb).tool] : [])))
}

/** Pauses the subscriptions of a tool, or lets them go on. */
export async function setPaused(
  crumbs: Crumbs,
  { tool, paused }: { readonly tool: string; readonly paused: boolean },
  principal: Principal,
): Promise<void> {
  const states = await crumbs.store.crumbs.list({ viewer: null, schema: pauseSchema, limit: maxPaused })
  const known = states.crumbs.find((crumb) => stateOf(crumb).tool === tool)
  if (known) await crumbs.update(known.id, { context: { tool, paused } }, principal, known.version)
  else if (paused)
    await crumbs.create(
      {
        title: `Subscriptions of ${tool}`,
        schema_name: pauseSchema,
        tags: ['subscription:state', `tool:${tool}`.slice(0, 200), 'persist'],
        context: { tool, paused },
      },
      principal,
    )
}

function stateOf({ context }: Crumb): { readonly tool: string; readonly paused: boolean } {
  const given = isPlainObject(context) ? context : {}
  return { tool: String(given['tool'] ?? ''), paused: given['paused'] === true }
}
