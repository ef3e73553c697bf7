// What starts with the crib. Tools that other tools wait for go first, then the higher priority; `once` tools
// run to their end one after the other, `continuous` ones stay and are restarted when they fail.

import { takesPart } from '../formats/tool-code/check-behaviour.ts'
import type { Bootstrap } from '../formats/tool-code/shapes.ts'
import { waitCycles } from '../formats/tool-code/wait-cycles.ts'
import { LeaseHolder } from '../store/lease-holder.ts'
import { byCodeUnits, type Json, type JsonObject } from '../tool/json.ts'
import { cribPrincipal, makePrincipal } from '../tool/principal.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import type { bootstrapReportShape, startedToolShape } from './automation-shapes.ts'
import type { EngineParts } from './engine.ts'
import { Service } from './service.ts'

type Writable<T> = { -readonly [K in keyof T]: T[K] }

export type StartedTool = Writable<Static<typeof startedToolShape>>
export type StartStatus = StartedTool['status']

/** Filled while the crib starts. */
export interface BootstrapReport extends Writable<Static<typeof bootstrapReportShape>> {
  readonly order: string[]
  readonly tools: StartedTool[]
  readonly cycles: string[][]
}

const bootstrapLease = 'bootstrap'

/** The bootstrap block of a tool; null when it has none. */
function bootstrapOf(tool: Tool): Bootstrap | null {
  return tool.details?.bootstrap ?? null
}

export class BootstrapEngine {
  readonly #parts: EngineParts
  readonly #services = new Map<string, Service>()
  #report: BootstrapReport | null = null
  #reportId: string | null = null
  #saving: Promise<void> = Promise.resolve()
  readonly #lease: LeaseHolder
  #isStopped = false

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#lease = new LeaseHolder(parts, bootstrapLease, (isLeader) =>
      isLeader ? this.#takeOver() : this.#stepDown(),
    )
  }

  get report(): BootstrapReport | null {
    return this.#report
  }

  /**
   * Runs the start-up once per crib start: on the first node that is up. Other nodes stand by and take the
   * services over when that node is gone. Resolves when the order has been worked through.
   */
  async start(): Promise<BootstrapReport | null> {
    return (await this.#lease.start()) ? this.#startAll() : null
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#stepDown()
    await this.#saving
    await this.#lease.stop()
  }

  /** Another node leads, or this one leaves: what runs here ends. */
  async #stepDown(): Promise<void> {
    const services = [...this.#services.values()]
    this.#services.clear()
    await Promise.all(services.map((service) => service.stop()))
  }

  async #startAll(): Promise<BootstrapReport> {
    const participants = this.#participants()
    const waits = new Map([...participants].map(([name, { block }]) => [name, block.wait_for]))
    const cycles = waitCycles(waits)
    const report: BootstrapReport = {
      kind: 'startup-report',
      node: this.#parts.node,
      started_at: this.#now(),
      finished_at: null,
      order: [],
      tools: [],
      cycles,
    }
    this.#report = report
    const done = new Map<string, StartedTool>()
    const note = (name: string, entry: Partial<StartedTool> & { status: StartStatus }): StartedTool => {
      const { tool, block } = participants.get(name)!
      const full: StartedTool = {
        name,
        version: tool.version,
        mode: block.mode,
        priority: block.priority,
        wait_for: block.wait_for,
        duration_ms: 0,
        restarts: 0,
        ...entry,
      }
      done.set(name, full)
      report.tools.push(full)
      return full
    }
    for (const cycle of cycles)
      for (const name of cycle)
        note(name, {
          status: 'skipped',
          code: 'tc-wait-cycle',
          reason: `waits in a circle: ${cycle.join(' → ')}`,
        })
    for (;;) {
      if (this.#isStopped) break
      const left = [...participants.keys()].filter((name) => !done.has(name))
      if (left.length === 0) break
      const ready = left.filter((name) =>
        waits.get(name)!.every((dependency) => done.has(dependency) || !participants.has(dependency)),
      )
      const name = ready.sort(
        (a, b) =>
          participants.get(b)!.block.priority - participants.get(a)!.block.priority || byCodeUnits(a, b),
      )[0]!
      const obstacle = this.#obstacle(waits.get(name)!, done)
      if (obstacle) note(name, { status: 'skipped', reason: obstacle })
      else await this.#startOne(participants.get(name)!, note)
    }
    report.finished_at = this.#now()
    await this.#save()
    return report
  }

  /** Why a tool cannot start, naming the dependency; null when all are satisfied. */
  #obstacle(waitFor: readonly string[], done: ReadonlyMap<string, StartedTool>): string | null {
    for (const name of waitFor) {
      const entry = done.get(name)
      if (entry && entry.status !== 'failed' && entry.status !== 'skipped') continue
      if (entry) return `${name} ${entry.status === 'failed' ? 'failed' : 'was skipped'}`
      const isTool = this.#parts.tools().some((tool) => tool.id === name)
      return isTool ? `${name} is not started by bootstrap` : `there is no tool ${name}`
    }
    return null
  }

  async #startOne(
    { tool, block }: Participant,
    note: (name: string, entry: Partial<StartedTool> & { status: StartStatus }) => StartedTool,
  ): Promise<void> {
    const { clock, invoke } = this.#parts
    this.#report!.order.push(tool.id)
    const began = clock.now()
    if (block.mode === 'continuous') {
      const service = this.#service(tool, block)
      const first = await service.start()
      const entry = note(tool.id, { ...first, duration_ms: clock.now() - began })
      this.#follow(service, entry)
      return
    }
    const outcome = await invoke(tool.id, block.input, {
      principal: makePrincipal({ surface: 'event', name: 'bootstrap' }),
      trigger: { schema_name: 'system.startup.v1', timestamp: new Date(began).toISOString() },
      runId: `bootstrap-${tool.id}-${began}`,
    })
    const duration_ms = clock.now() - began
    if (outcome.ok) note(tool.id, { status: 'succeeded', duration_ms })
    else
      note(tool.id, {
        status: 'failed',
        code: outcome.error.code,
        reason: outcome.error.message,
        duration_ms,
      })
  }

  #service(tool: Tool, block: Bootstrap): Service {
    const service = new Service(this.#parts, tool.id, block.input as JsonObject)
    this.#services.set(tool.id, service)
    return service
  }

  /** Keeps the report true while a service lives. */
  #follow(service: Service, entry: StartedTool): void {
    service.onChange((state) => {
      // Why it failed before is no part of what it is now.
      delete entry.code
      delete entry.reason
      Object.assign(entry, state)
      void this.#save()
    })
  }

  /** Takes over the services of a node that is gone. */
  async #takeOver(): Promise<void> {
    const { crumbs } = await this.#parts.store.crumbs.list({
      viewer: null,
      tags: ['system:bootstrap'],
      schema: 'system.bootstrap.v1',
      limit: 1,
    })
    const last = crumbs[0]?.context as unknown as BootstrapReport | undefined
    if (!last) {
      await this.#startAll()
      return
    }
    this.#report = { ...last, node: this.#parts.node, tools: last.tools.map((tool) => ({ ...tool })) }
    this.#reportId = crumbs[0]!.id
    for (const entry of this.#report.tools) {
      const found = this.#participants().get(entry.name)
      if (!found || entry.mode !== 'continuous' || entry.status === 'completed' || entry.status === 'skipped')
        continue
      const service = this.#service(found.tool, found.block)
      Object.assign(entry, await service.start())
      this.#follow(service, entry)
    }
    await this.#save()
  }

  #participants(): Map<string, Participant> {
    const found = new Map<string, Participant>()
    for (const tool of this.#parts.tools()) {
      const block = bootstrapOf(tool)
      // One that cannot run fails, and the report says why; one whose place another has taken does not count.
      const counts = tool.state !== 'shadowed' && tool.state !== 'disabled'
      if (block && takesPart(block) && counts && !found.has(tool.id)) found.set(tool.id, { tool, block })
    }
    return found
  }

  /** Writes the report as it is now; one write at a time, the last state wins. */
  #save(): Promise<void> {
    this.#saving = this.#saving
      .then(async () => {
        const { crumbs } = this.#parts.store
        const draft = {
          title: 'Startup report',
          schema_name: 'system.bootstrap.v1',
          tags: ['system:bootstrap'],
          visibility: 'team',
          sensitivity: 'low',
          context: JSON.parse(JSON.stringify(this.#report)) as Json,
        } as const
        const current = this.#reportId === null ? null : await crumbs.get(this.#reportId)
        if (current) await crumbs.update(current.id, current.version, draft, cribPrincipal)
        else this.#reportId = (await crumbs.create(draft, cribPrincipal)).id
      })
      .catch((error: Error) => this.#parts.log('error', `Bootstrap report: ${error.message}`))
    return this.#saving
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString()
  }
}

interface Participant {
  readonly tool: Tool
  readonly block: Bootstrap
}
