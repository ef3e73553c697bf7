// Automation by hand: what a person asks of schedules, subscriptions and requests. Command line and console share it.
import type { Crumbs } from '../events/crumbs.ts'
import type { Crumb } from '../store/crumb.ts'
import type { CrumbStore, Written } from '../store/store.ts'
import { isPlainObject, type Json } from '../tool/json.ts'
import { nearNames } from '../tool/near-names.ts'
import type { Principal } from '../tool/principal.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { answerTo } from './answer-to.ts'
import { type SubscriptionStatus, subscriptionStatuses } from './automation.ts'
import type { requestStatusShape } from './automation-shapes.ts'
import { parseInterval } from './interval.ts'
import { pausedTools, setPaused } from './paused-subscriptions.ts'
import { scheduleSchema, tickOf } from './schedules.ts'
import { subscriptionsOf } from './subscriptions.ts'

const maxListed = 1000
const requestSchema = 'tool.request.v1'

/** A request and what became of it. */
export interface RequestStatus extends Static<typeof requestStatusShape> {}

/** Fires a schedule at once, beside its times, for the one who asks; refused for one that could never fire. */
export async function fireNow(crumbs: Crumbs, id: string, principal: Principal): Promise<Written> {
  const crumb = await crumbs.crumb(id, principal)
  if (crumb.schema_name !== scheduleSchema) throw noSchedule(crumb)
  const context = isPlainObject(crumb.context) ? crumb.context : {}
  const interval = parseInterval(context['interval'])
  if (typeof interval === 'string')
    throw new ToolError('SCHED_INVALID', `The schedule "${crumb.title}" is not valid: ${interval}.`)
  const nowMs = crumbs.store.clock.now()
  const labels = Array.isArray(context['labels']) ? context['labels'].map(String) : interval.labels
  const { draft, unique } = tickOf(
    { crumb, given: context['interval'] as Json, labels },
    { nowMs, dueMs: nowMs },
  )
  return crumbs.store.crumbs.create(draft, principal, { unique })
}

/** Switches a schedule off or on. */
export async function enableSchedule(
  crumbs: Crumbs,
  { id, enabled }: { readonly id: string; readonly enabled: boolean },
  principal: Principal,
): Promise<void> {
  const crumb = await crumbs.crumb(id, principal)
  if (crumb.schema_name !== scheduleSchema) throw noSchedule(crumb)
  const context = isPlainObject(crumb.context) ? crumb.context : {}
  await crumbs.update(id, { context: { ...context, enabled } }, principal, crumb.version)
}

function noSchedule({ id, schema_name }: Crumb): ToolError {
  return new ToolError(
    'NOT_FOUND',
    `Breadcrumb ${id} is ${schema_name ?? 'without a schema'}, no schedule.`,
    {
      hint: 'See `toolcrib schedules`.',
    },
  )
}

/** Pauses the subscriptions of a tool or lets them go on; NOT_FOUND with near names for a tool that has none. */
export async function pauseSubscriptions(
  crumbs: Crumbs,
  {
    tool,
    paused,
    tools,
  }: { readonly tool: string; readonly paused: boolean; readonly tools: readonly Tool[] },
  principal: Principal,
): Promise<void> {
  const listening = tools.filter((one) => subscriptionsOf(one).length > 0).map(({ id }) => id)
  if (!listening.includes(tool)) {
    const near = nearNames(tool, listening)
    throw new ToolError('NOT_FOUND', `No tool "${tool}" listens to events.`, {
      hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See `toolcrib subscriptions`.',
    })
  }
  await setPaused(crumbs, { tool, paused }, principal)
}

/** Where every listening tool stands, read from the store: also without a server. */
export async function storedSubscriptions(
  store: CrumbStore,
  tools: readonly Tool[],
): Promise<SubscriptionStatus[]> {
  return subscriptionStatuses({ store, tools, paused: await pausedTools(store) })
}

/** The latest requests with what became of them, newest first. */
export async function requestStatuses(
  crumbs: Crumbs,
  { limit, principal }: { readonly limit: number; readonly principal: Principal },
): Promise<RequestStatus[]> {
  const { store } = crumbs
  const page = await store.crumbs.list({
    viewer: null,
    schema: requestSchema,
    limit: Math.min(limit, maxListed),
  })
  const seen = await Promise.all(
    page.crumbs.map((crumb) => crumbs.crumb(crumb.id, principal).catch(() => undefined)),
  )
  return Promise.all(seen.filter((crumb) => crumb !== undefined).map((crumb) => requestStatus(store, crumb)))
}

/** One request; NOT_FOUND where there is none that this one may see. */
export async function requestById(crumbs: Crumbs, id: string, principal: Principal): Promise<RequestStatus> {
  const crumb = await crumbs.crumb(id, principal)
  if (crumb.schema_name !== requestSchema)
    throw new ToolError(
      'NOT_A_REQUEST',
      `Breadcrumb ${id} is ${crumb.schema_name}, not a ${requestSchema}.`,
      {
        hint: 'See `toolcrib requests`.',
      },
    )
  return requestStatus(crumbs.store, crumb)
}

/** A duplicate has no response of its own: that of the first one, which the same asker made, stands for both. */
async function answerOfFirst(
  store: CrumbStore,
  { created_by: asker }: Crumb,
  requestId: unknown,
): Promise<Crumb | undefined> {
  if (typeof requestId !== 'string') return undefined
  const tags = [`request:${requestId}`]
  const { crumbs } = await store.crumbs.list({
    viewer: null,
    schema: 'tool.response.v1',
    tags,
    limit: maxListed,
  })
  return crumbs.find(({ created_by }) => created_by === asker)
}

async function requestStatus(store: CrumbStore, crumb: Crumb): Promise<RequestStatus> {
  const { tool, input, requestId } = isPlainObject(crumb.context) ? crumb.context : {}
  const answer = (await answerTo(store, crumb.id)) ?? (await answerOfFirst(store, crumb, requestId))
  const said = answer && isPlainObject(answer.context) ? answer.context : {}
  const failed = said['status'] === 'error'
  return {
    id: crumb.id,
    tool: String(tool ?? ''),
    state: !answer ? 'waiting' : failed ? 'failed' : 'done',
    by: crumb.created_by,
    createdAt: crumb.created_at,
    answeredAt: answer?.created_at,
    response: answer?.id,
    error: failed ? String(said['error'] ?? said['code'] ?? 'failed') : undefined,
    input: (input ?? {}) as Json,
  }
}
