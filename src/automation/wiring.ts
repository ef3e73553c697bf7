// Who reacts to what: schemas, tools and schedules as one graph, with how much went over each edge, how far behind it is
// and what went wrong last.
import type { CrumbStore } from '../store/store.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import type { Automation } from './automation.ts'
import { subscriptionsOf } from './subscriptions.ts'
import type { wiringShape } from './thread-shapes.ts'

export type Wiring = Static<typeof wiringShape>
type Edge = Wiring['edges'][number]

export interface WiringParts {
  readonly store: CrumbStore
  readonly tools: readonly Tool[]
  readonly automation: Automation
  /** RFC 3339. */
  readonly since: string
  readonly until: string
}

const tickSchema = 'schedule.tick.v1'

export async function wiringOf({ store, tools, automation, since, until }: WiringParts): Promise<Wiring> {
  const nodes = new Map<string, Wiring['nodes'][number]>()
  const schema = (name: string) => {
    const id = `schema:${name}`
    nodes.set(id, { id, kind: 'schema', name, title: name })
    return id
  }
  const edges: Edge[] = []
  for (const tool of tools) {
    if (tool.state !== 'available') continue
    const on = [...new Set(subscriptionsOf(tool).map(({ schema_name }) => schema_name))]
    const writes = (planOf(tool, 'deno')?.permissions.breadcrumbs?.write ?? []).filter(
      (name) => !name.includes('*'),
    )
    if (on.length === 0 && writes.length === 0) continue
    const id = `tool:${tool.id}`
    nodes.set(id, { id, kind: 'tool', name: tool.id, title: tool.title ?? tool.id })
    const { lag } = automation.subscriptions.find(({ tool: name }) => name === tool.id) ?? {}
    for (const name of on) {
      const filter = { tool: tool.id, trigger: name, since, until }
      const { total } = await store.runs.stats({ ...filter, kinds: ['run', 'deny'] })
      const [bad] = total.failed > 0 ? await store.runs.list({ ...filter, ok: false, limit: 1 }) : []
      edges.push({
        from: schema(name),
        to: id,
        kind: 'triggers',
        count: total.count,
        failed: total.failed,
        lag,
        lastError: bad && { code: bad.errorCode ?? '', at: bad.startedAt, runId: bad.runId },
      })
    }
    for (const name of writes) edges.push({ from: id, to: schema(name), kind: 'writes' })
  }
  for (const { id: crumb, title, enabled } of automation.schedules.items) {
    if (!enabled) continue
    const id = `schedule:${crumb}`
    nodes.set(id, { id, kind: 'schedule', name: crumb, title })
    edges.push({ from: id, to: schema(tickSchema), kind: 'fires' })
  }
  return { nodes: [...nodes.values()], edges }
}
