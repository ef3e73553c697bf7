// What reacts in this crib, at a glance: what started, what is scheduled, who listens and how far behind it is.

import type { Crumb } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { isPlainObject, type Json } from '../tool/json.ts'
import type { Static } from '../tool/shape.ts'
import type { automationShape, scheduleStatusShape, subscriptionStatusShape } from './automation-shapes.ts'
import type { BootstrapReport } from './bootstrap.ts'
import type { Engines } from './engines.ts'
import { nextDue, parseInterval } from './interval.ts'
import { scheduleSchema } from './schedules.ts'

const maxSchedules = 1000

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

async function scheduleStatuses(store: CrumbStore, nowMs: number): Promise<ScheduleStatus[]> {
  const { crumbs } = await store.crumbs.list({ viewer: null, schema: scheduleSchema, limit: maxSchedules })
  return Promise.all(crumbs.map((crumb) => scheduleStatus(store, crumb, nowMs)))
}

async function scheduleStatus(store: CrumbStore, crumb: Crumb, nowMs: number): Promise<ScheduleStatus> {
  const context = isPlainObject(crumb.context) ? crumb.context : {}
  const interval = parseInterval(context['interval'])
  const enabled = context['enabled'] !== false
  const next = typeof interval === 'string' || !enabled ? null : nextDue(interval, nowMs)
  const handled = (await store.cursors.get(`schedule:${crumb.id}`))?.position ?? 0
  const labels = Array.isArray(context['labels']) ? context['labels'].map(String) : []
  return {
    id: crumb.id,
    title: crumb.title,
    interval: (context['interval'] ?? null) as Json,
    labels,
    enabled,
    catchUp: context['catch_up'] === 'once' ? 'once' : 'skip',
    nextAt: next === null ? null : new Date(next).toISOString(),
    lastDueAt: handled === 0 ? null : new Date(handled).toISOString(),
    ...(typeof interval === 'string' ? { problem: interval } : {}),
  }
}
