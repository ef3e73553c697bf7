// What reacts in this crib, at a glance: what started, what is scheduled, who listens and how far behind it is.

import { matchesSubscription } from '../events/match-event.ts'
import type { Crumb } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { isPlainObject, type Json } from '../tool/json.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import type { automationShape, scheduleStatusShape, subscriptionStatusShape } from './automation-shapes.ts'
import type { BootstrapReport } from './bootstrap.ts'
import type { Engines } from './engines.ts'
import { type Interval, nextDue, parseInterval } from './interval.ts'
import { scheduleSchema } from './schedules.ts'
import { subscriptionsOf } from './subscriptions.ts'

const maxSchedules = 1000
/** More waiting events than this are not counted one by one. */
const maxLag = 1000
const shownTimes = 5

export interface ScheduleStatus extends Static<typeof scheduleStatusShape> {}

export interface SubscriptionStatus extends Static<typeof subscriptionStatusShape> {}

export interface Automation extends Static<typeof automationShape> {}

/** The store, and the engines where they run. */
interface AutomationParts {
  readonly store: CrumbStore
  readonly engines: Engines | null
}

export async function automationOf({ store, engines }: AutomationParts, nowMs: number): Promise<Automation> {
  const [report, schedules, requests, last, horizon] = await Promise.all([
    engines?.bootstrap?.report ?? lastReport(store),
    scheduleStatuses(store, nowMs),
    store.requests.counts(),
    store.events.last(),
    store.events.horizon(),
  ])
  return {
    isRunning: engines !== null,
    bootstrap: { isEnabled: engines !== null && engines.bootstrap !== null, report },
    services: (report?.tools ?? []).filter((tool) => tool.mode === 'continuous'),
    schedules: { engine: engines?.schedules ? 'builtin' : 'off', items: schedules },
    subscriptions: engines?.subscriptions.status() ?? [],
    requests,
    feed: { last, horizon },
  }
}

/** The newest report in the store: another node's, or that of the last start. */
async function lastReport(store: CrumbStore): Promise<BootstrapReport | null> {
  const { crumbs } = await store.crumbs.list({
    viewer: null,
    tags: ['system:bootstrap'],
    schema: 'system.bootstrap.v1',
    limit: 1,
  })
  return (crumbs[0]?.context as unknown as BootstrapReport | undefined) ?? null
}

/** Where the tools that listen stand, by what the store knows: no engine need run here. */
export async function subscriptionStatuses(parts: {
  readonly store: CrumbStore
  readonly tools: readonly Tool[]
  readonly paused: ReadonlySet<string>
}): Promise<SubscriptionStatus[]> {
  const { store, tools, paused } = parts
  const listening = tools.filter((tool) => subscriptionsOf(tool).length > 0)
  return Promise.all(
    listening.map(async (tool): Promise<SubscriptionStatus> => {
      const on = subscriptionsOf(tool)
      const cursor = await store.cursors.get(`sub:${tool.id}`)
      const schemas = [...new Set(on.map((one) => one.schema_name))]
      const behind = cursor
        ? await store.events.after({ after: cursor.position, limit: maxLag, schemas })
        : []
      const waiting = behind.filter(({ event }) => on.some((one) => matchesSubscription(one, event, tool.id)))
      const oldest = waiting[0] ? Date.parse(waiting[0].event.updated_at) : Number.NaN
      return {
        tool: tool.id,
        on,
        cursor: cursor?.position ?? 0,
        lag: waiting.length,
        lagMs: Number.isNaN(oldest) ? 0 : Math.max(0, store.clock.now() - oldest),
        isRunning: (cursor?.working ?? 0) > 0,
        attempts: cursor?.attempts ?? 0,
        skipped: 0,
        isHere: false,
        isPaused: paused.has(tool.id),
      }
    }),
  )
}

export async function scheduleStatuses(store: CrumbStore, nowMs: number): Promise<ScheduleStatus[]> {
  const { crumbs } = await store.crumbs.list({ viewer: null, schema: scheduleSchema, limit: maxSchedules })
  return Promise.all(crumbs.map((crumb) => scheduleStatus(store, crumb, nowMs)))
}

async function scheduleStatus(store: CrumbStore, crumb: Crumb, nowMs: number): Promise<ScheduleStatus> {
  const context = isPlainObject(crumb.context) ? crumb.context : {}
  const interval = parseInterval(context['interval'])
  const enabled = context['enabled'] !== false
  const next = typeof interval === 'string' || !enabled ? [] : nextTimes(interval, nowMs)
  const handled = (await store.cursors.get(`schedule:${crumb.id}`))?.position ?? 0
  const labels = Array.isArray(context['labels']) ? context['labels'].map(String) : []
  return {
    id: crumb.id,
    title: crumb.title,
    interval: (context['interval'] ?? null) as Json,
    labels,
    enabled,
    catchUp: context['catch_up'] === 'once' ? 'once' : 'skip',
    nextAt: next[0] ?? null,
    next,
    lastDueAt: handled === 0 ? null : new Date(handled).toISOString(),
    problem: typeof interval === 'string' ? interval : undefined,
  }
}

function nextTimes(interval: Interval, nowMs: number): string[] {
  const times: string[] = []
  for (
    let at = nextDue(interval, nowMs);
    at !== null && times.length < shownTimes;
    at = nextDue(interval, at)
  )
    times.push(new Date(at).toISOString())
  return times
}
