// Schedules turn time into ticks: one tick per schedule and due time, across restarts and nodes, because the
// pair is a unique key of the store that outlives the tick.

import type { CrumbCheck } from '../events/crumbs.ts'
import type { Clock } from '../store/clock.ts'
import type { Crumb, CrumbDraft } from '../store/crumb.ts'
import { LeaseHolder } from '../store/lease-holder.ts'
import type { CrumbStore, UniqueKey } from '../store/store.ts'
import { defined } from '../tool/defined.ts'
import { isPlainObject, type Json } from '../tool/json.ts'
import { cribPrincipal, type Principal } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'
import { clip, type EngineParts, principalOf, tagsOf } from './engine.ts'
import { dueBetween, type Interval, nextDue, parseInterval, previousDue } from './interval.ts'

export const scheduleSchema = 'schedule.definition.v1'
/** A due time that is later than this has been missed. */
const lateMs = 60_000
/** The timer never sleeps longer, so that a clock that was set is noticed. */
const maxSleepMs = 30_000
/** When a tick that the store did not take is written again. */
const againMs = 1_000
const haltedMs = 500
const pageSize = 500
const keyLifeMs = 400 * 24 * 60 * 60 * 1000
const tickLifeMs = 5 * 60_000
const maxLabels = 63

/** Refuses a schedule that could never fire. */
export const scheduleCheck: CrumbCheck = (draft) => {
  const context = isPlainObject(draft.context) ? draft.context : {}
  const interval = parseInterval(context['interval'])
  if (typeof interval === 'string') throw invalid('interval', interval)
  const { catch_up, labels } = context
  if (catch_up !== undefined && catch_up !== 'skip' && catch_up !== 'once')
    throw invalid('catch_up', 'catch_up must be "skip" or "once"')
  if (labels !== undefined && !isLabels(labels))
    throw invalid('labels', `labels must be a list of at most ${maxLabels} texts of 1 to 200 characters`)
  return undefined
}

function invalid(field: string, fault: string): ToolError {
  return new ToolError('SCHED_INVALID', `The schedule is not valid: ${fault}.`, {
    details: [{ pointer: `/context/${field}`, message: fault }],
  })
}

/** They become tags of the tick as they are, beside its own. */
function isLabels(given: unknown): given is string[] {
  if (!Array.isArray(given) || given.length > maxLabels) return false
  return given.every((label) => typeof label === 'string' && label !== '' && label.length <= 200)
}

/** Attributes a tick of any writer to its due time; the second one for a due time is not stored. */
export function tickCheck(store: CrumbStore, clock: Clock): CrumbCheck {
  return async (draft, _actor, current) => {
    const context = isPlainObject(draft.context) ? draft.context : {}
    if (current !== null || typeof context['schedule_id'] !== 'string') return undefined
    const definition = await store.crumbs.get(context['schedule_id'])
    if (definition?.schema_name !== scheduleSchema) return undefined
    const interval = parseInterval((definition.context as { interval?: unknown } | null)?.interval)
    if (typeof interval === 'string') return undefined
    const fired = Date.parse(String(context['fired_at'] ?? ''))
    const due = previousDue(interval, Number.isNaN(fired) ? clock.now() : fired)
    return due === null ? undefined : { unique: tickKey(definition.id, due) }
  }
}

function tickKey(schedule: string, dueMs: number): UniqueKey {
  return { scope: 'tick', key: `${schedule}@${new Date(dueMs).toISOString()}`, expiresMs: dueMs + keyLifeMs }
}

/** The tick of a schedule for one due time, and the key that keeps it the only one. */
export function tickOf(
  {
    crumb,
    given,
    labels,
  }: { readonly crumb: Crumb; readonly given: Json; readonly labels: readonly string[] },
  { nowMs, dueMs, missed }: { readonly nowMs: number; readonly dueMs: number; readonly missed?: number },
): { readonly draft: CrumbDraft; readonly unique: UniqueKey } {
  const draft: CrumbDraft = {
    title: clip(`Schedule Tick: ${crumb.title}`, 500),
    schema_name: 'schedule.tick.v1',
    tags: tagsOf(['schedule:tick', ...labels]),
    visibility: crumb.visibility,
    sensitivity: 'low',
    ttl: new Date(nowMs + tickLifeMs).toISOString(),
    context: defined({
      schedule_id: crumb.id,
      schedule_title: crumb.title,
      fired_at: new Date(nowMs).toISOString(),
      interval_type: String((given as { type?: unknown }).type),
      interval_details: given,
      due_at: new Date(dueMs).toISOString(),
      missed,
    }),
  }
  return { draft, unique: tickKey(crumb.id, dueMs) }
}

interface Schedule {
  readonly crumb: Crumb
  readonly interval: Interval
  readonly given: Json
  readonly labels: readonly string[] | null
  readonly catchUp: 'skip' | 'once'
  lastMs: number
  nextMs: number | null
}

export type ScheduleParts = Pick<EngineParts, 'store' | 'clock' | 'node' | 'log' | 'tokens' | 'isHalted'>

export class ScheduleEngine {
  readonly #parts: ScheduleParts
  readonly #schedules = new Map<string, Schedule>()
  readonly #lease: LeaseHolder
  #tail = 0
  #lookedMs = 0
  #cancel: (() => void) | null = null
  #unsubscribe: (() => void) | null = null
  #work: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: ScheduleParts) {
    this.#parts = parts
    this.#lease = new LeaseHolder(parts, 'schedules', (isHeld) => {
      if (isHeld) this.#queue(() => this.#readAll())
      else this.#cancel?.()
    })
  }

  /** True on the one node that writes the ticks. */
  get isLeader(): boolean {
    return this.#lease.isHeld
  }

  /** Catches up with what was due while nobody looked, then waits for the next due time. */
  async start(): Promise<void> {
    const { store } = this.#parts
    this.#unsubscribe = store.events.onAppend(
      () => this.#queue(() => this.#readChanges()),
      new Set([scheduleSchema]),
    )
    if (await this.#lease.start()) this.#queue(() => this.#readAll())
    await this.#work
  }

  /** Resolves when everything due so far is written. */
  async idle(): Promise<void> {
    let seen: Promise<void> | null = null
    while (seen !== this.#work) {
      seen = this.#work
      await seen
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    this.#unsubscribe?.()
    await this.idle()
    await this.#lease.stop()
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(() => (this.#isStopped || !this.#lease.isHeld ? undefined : work()))
      .catch((error: Error) => {
        this.#parts.log('error', `Schedules: ${error.message}`)
        if (this.#isStopped) return
        // What was due stays due: everything is read and settled again.
        this.#cancel?.()
        this.#cancel = this.#parts.clock.after(againMs, () => this.#queue(() => this.#readAll()))
      })
  }

  /** All schedules with where they stand, then the ticks that are due. */
  async #readAll(): Promise<void> {
    const { store } = this.#parts
    this.#tail = await store.events.last()
    this.#schedules.clear()
    for (let after: number | undefined; ; ) {
      const page = await store.crumbs.list(
        defined({
          viewer: null,
          schema: scheduleSchema,
          limit: pageSize,
          after,
        }),
      )
      for (const crumb of page.crumbs) await this.#adopt(crumb)
      if (page.next === undefined) break
      after = page.next
    }
    await this.#fireDue()
  }

  async #readChanges(): Promise<void> {
    const { store } = this.#parts
    let hasChanged = false
    for (;;) {
      const { events, upTo } = await store.events.pageAfter({
        after: this.#tail,
        limit: pageSize,
        schemas: [scheduleSchema],
      })
      if (events.length > 0) hasChanged = true
      for (const id of new Set(events.map(({ event }) => event.breadcrumb_id))) {
        const crumb = await store.crumbs.get(id)
        if (crumb) await this.#adopt(crumb)
        else this.#schedules.delete(id)
      }
      this.#tail = upTo
      if (events.length < pageSize) break
    }
    if (hasChanged) this.#arm()
  }

  async #adopt(crumb: Crumb): Promise<void> {
    this.#schedules.delete(crumb.id)
    const context = isPlainObject(crumb.context) ? crumb.context : {}
    const interval = parseInterval(context['interval'])
    if (typeof interval === 'string') {
      this.#parts.log('warn', `Schedule "${crumb.title}" (${crumb.id}) never fires: ${interval}.`)
      return
    }
    if (context['enabled'] === false) return
    const known = await this.#parts.store.cursors.get(`schedule:${crumb.id}`)
    // Due times before the schedule was written in this form are nobody's; what is to come was written by a wrong clock.
    const writtenMs = Math.max(known?.position ?? 0, Date.parse(crumb.updated_at))
    const lastMs = Math.min(writtenMs, this.#parts.clock.now())
    this.#schedules.set(crumb.id, {
      crumb,
      interval,
      given: context['interval'] as Json,
      labels: isLabels(context['labels']) ? context['labels'] : null,
      catchUp: context['catch_up'] === 'once' ? 'once' : 'skip',
      lastMs,
      nextMs: nextDue(interval, lastMs),
    })
  }

  #arm(): void {
    this.#cancel?.()
    if (this.#isStopped) return
    const now = this.#parts.clock.now()
    const next = Math.min(
      ...[...this.#schedules.values()].map((one) => one.nextMs ?? Number.POSITIVE_INFINITY),
    )
    const sleepMs = Math.min(Math.max(0, next - now), maxSleepMs)
    this.#cancel = this.#parts.clock.after(sleepMs, () => this.#queue(() => this.#fireDue()))
  }

  async #fireDue(): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    if (this.#parts.isHalted?.()) {
      this.#cancel?.()
      this.#cancel = clock.after(haltedMs, () => this.#queue(() => this.#fireDue()))
      return
    }
    this.#noticeSetBack(now)
    for (const schedule of this.#schedules.values()) {
      if (schedule.nextMs === null || schedule.nextMs > now) continue
      // It may have expired, or have become something else: the feed tells of schedules only.
      const { id } = schedule.crumb
      if ((await store.crumbs.get(id))?.schema_name === scheduleSchema) await this.#settle(schedule, now)
      else this.#schedules.delete(id)
    }
    this.#arm()
  }

  /** Else nothing would be due until the clock is again where it was. Each due time still has one tick, by its key. */
  #noticeSetBack(now: number): void {
    const isBack = now < this.#lookedMs
    this.#lookedMs = now
    if (!isBack) return
    for (const schedule of this.#schedules.values()) {
      schedule.lastMs = Math.min(schedule.lastMs, now - lateMs)
      schedule.nextMs = nextDue(schedule.interval, schedule.lastMs)
    }
  }

  /** Writes the ticks of everything due in (last, now]: what is over a minute late counts as missed. */
  async #settle(schedule: Schedule, now: number): Promise<void> {
    const { interval } = schedule
    let last = schedule.lastMs
    if (schedule.catchUp === 'once') {
      const missed = dueBetween(interval, last, now - lateMs - 1)
      if (missed.last !== null) await this.#fire(schedule, missed.last, missed.count)
      last = missed.last ?? last
    } else {
      // What is dropped is not counted: after a long pause that would take longer than anybody waits.
      last = Math.max(last, previousDue(interval, now - lateMs - 1) ?? last)
    }
    const from = Math.max(last, now - lateMs - 1)
    for (let due = nextDue(interval, from); due !== null && due <= now; due = nextDue(interval, due)) {
      await this.#fire(schedule, due)
      last = due
    }
    schedule.lastMs = last
    schedule.nextMs = nextDue(interval, Math.max(last, now))
    await this.#parts.store.cursors.set(`schedule:${schedule.crumb.id}`, {
      position: last,
      working: 0,
      attempts: 0,
      note: null,
    })
  }

  async #fire(schedule: Schedule, dueMs: number, missed?: number): Promise<void> {
    const labels = schedule.labels ?? schedule.interval.labels
    const { draft, unique } = tickOf(
      { ...schedule, labels },
      { nowMs: this.#parts.clock.now(), dueMs, missed },
    )
    await this.#parts.store.crumbs.create(draft, await this.#writerOf(schedule.crumb), { unique })
  }

  /** Who a tick is written for: whoever wrote the schedule, so that it sets off no more than that one may (G16). */
  async #writerOf(crumb: Crumb): Promise<Principal> {
    const versions = await this.#parts.store.events.ofCrumb(crumb.id)
    const written = versions.find(({ event }) => event.version === crumb.version)
    if (!written) return { ...cribPrincipal, owner: crumb.owner_id }
    return { ...principalOf(written.event, this.#parts), root: undefined, depth: 0 }
  }
}
