// The file changes of one call, from its layer to what becomes of them (E9, E10). A runtime asks it for layers, or
// gives it the layer of a warm worker that wrote; whoever ends the call settles or drops it.
import { randomUUID } from 'node:crypto'
import { posix } from 'node:path'
import type { EffectPolicy } from '../../config/config.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { defined } from '../../tool/defined.ts'
import type { Effects } from '../../tool/outcome.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import type { Holding } from '../fence.ts'
import type { Profile } from '../profile.ts'
import { whyProtected } from '../why-protected.ts'
import type { ChangeRecord } from './change-log.ts'
import type { ChangeSet } from './change-set.ts'
import type { Watching } from './direct-watch.ts'
import type { OnLayer } from './early-bases.ts'
import { effectsOf, noEffects } from './effects-of.ts'
import type { Ground } from './ground.ts'
import type { HeldRun } from './held-run.ts'
import { faultError, judgeChanges } from './judge-changes.ts'
import { type Layer, markHeld, mountedAgain } from './layer.ts'
import { LayerSteps } from './layer-steps.ts'
import type { ProjectChanges } from './project-changes.ts'
import { layerContents, readChanges } from './read-changes.ts'
import { unifiedDiff } from './unified-diff.ts'
import { WorkerLayer } from './worker-layer.ts'
import { withoutEmptyAreas, writeRules } from './write-rules.ts'

/** Which call it is, and what its changes are to become. */
export interface ChangingCall {
  readonly run: string
  /** The runs around it, the outermost first. */
  readonly within?: readonly string[] | undefined
  readonly session?: string | undefined
  readonly tool: string
  readonly policy: EffectPolicy
  readonly profile: Profile
  /** The held run that it is, or is a part of. */
  readonly held?: HeldRun | undefined
  /** A try before this one may have left changes in place, which belong to the same run. */
  readonly isRetry?: boolean
}

export class CallChanges implements Holding, OnLayer {
  readonly isDirect: string | undefined
  /** What a warm process must have in common with the call beside its rights. */
  readonly lane: string
  readonly #project: ProjectChanges
  readonly #call: ChangingCall
  readonly #ground: Ground
  readonly #steps: ChangeSet[]
  /** Its own steps and those of the calls that it made, as they came. */
  readonly #all: ChangeSet[] = []
  #layer: Layer | undefined
  #worker: WorkerLayer | undefined
  #settled: LayerSteps | undefined
  /** What waits for a person because it could not be put in place. */
  #kept: Effects | undefined
  /** Nothing is on the layer but what counts as a change. */
  #isWhole = true
  #open = 0
  #isDropped = false
  readonly #waiting: (() => void)[] = []
  #watching: Watching | undefined

  constructor(project: ProjectChanges, call: ChangingCall) {
    this.#project = project
    this.#call = call
    this.#ground = call.held ?? project
    this.#steps = call.isRetry ? formerSteps(project, call.run) : []
    const isDirect = call.policy === 'direct' && !call.held
    this.isDirect = isDirect ? 'effects: direct is set for the tool' : undefined
    this.lane = isDirect ? 'direct' : this.#ground.id
  }

  /** Nothing may be written unless it is held. */
  get mustHold(): boolean {
    return this.#call.held !== undefined
  }

  /**
   * Called before what it starts writes to the files itself: what changes there meanwhile is reported (E3). Throws where
   * it must be held.
   */
  writesDirectly(reason: string): void {
    if (this.mustHold)
      throw new ToolError(
        'SANDBOX_UNAVAILABLE',
        `What ${this.#call.tool} writes cannot be held: ${reason}. It takes no part in a preview or a held run.`,
        { hint: 'Call it by itself, or leave it out of what is previewed or held.' },
      )
    const areas = this.#call.profile.write.map(nearestRealPath)
    if (areas.length > 0) this.#watching ??= this.#project.direct.begin(areas)
  }

  layer(state: string): Layer {
    this.#open += 1
    this.#project.earlyBases.watch(this)
    if (this.#layer) return mountedAgain(this.#layer)
    const { run, isRetry } = this.#call
    // The layer of the try before may still be on its way out.
    this.#layer = this.#ground.makeLayer(isRetry ? `${run}.${randomUUID()}` : run, state)
    return this.#layer
  }

  released(): void {
    this.#open -= 1
    this.#left()
  }

  /** For a worker that serves this call and perhaps others. */
  workerLayer(): WorkerLayer {
    return new WorkerLayer(this.#ground, this)
  }

  /** The call runs in a worker with this layer. */
  use(worker: WorkerLayer | undefined): void {
    this.#worker = worker
    if (!worker) return
    this.#settled = worker.steps
    this.#project.earlyBases.watch(this)
  }

  /** Looked at while it is under way, because a person may change the same files before it ends (E12). */
  get standsOn(): Layer | undefined {
    return this.#worker?.current ?? this.#layer
  }

  /** Its worker is done with it; `layer`: has ended, and this is what it wrote. */
  take(layer?: Layer): void {
    this.#layer ??= layer
    this.#worker = undefined
    this.#left()
  }

  /** Its part in a worker is over, in which others of the same run go on. */
  leave(): void {
    this.#project.earlyBases.forget(this)
    for (const tell of this.#waiting.splice(0)) tell()
  }

  #left(): void {
    if (this.#open > 0 || this.#worker) return
    if (this.#isDropped) this.#remove()
    this.leave()
  }

  /** Resolves when none of its processes stands on its layer any more. */
  #isLeft(): Promise<void> {
    if (this.#open <= 0 && !this.#worker) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** A process stands on the layer and waits for what the call asked for. */
  get isUnderWay(): boolean {
    return this.#worker?.isHeld === true
  }

  /** Puts in place what was written so far, so that a call inside this one sees it (E13). Throws what stands against it. */
  async step(): Promise<void> {
    const layer = this.#worker?.current
    if (!layer || !this.#worker!.hasWrites) return
    if (!(await this.#worker!.note()))
      throw new ToolError('TOOL_FAILED', `What ${this.#call.tool} wrote so far cannot be read.`)
    const set = this.#read(layer)
    if (set.changes.length === 0 && !set.exceeded) return
    this.#judge(set, layer)
    const done = await this.#ground.put(set, layer, this.#record([...this.#steps]))
    this.#done(done)
    this.#layerSteps.note(done, layer)
    await this.#worker?.refresh()
  }

  /** Has its process see what a call inside it changed. */
  async follow(): Promise<void> {
    const layer = this.#worker?.current
    if (!layer) return
    try {
      this.#layerSteps.follow(layer)
    } catch {
      // Its process changes the same files meanwhile: it keeps what it has, and the end of the call merges.
    }
    await this.#worker?.refresh()
  }

  /** The call ended by itself: what it wrote is judged and, by its policy, put in place. Throws what stands against it. */
  async settle(whyDirect?: string): Promise<Effects> {
    // Others of the same run are in its process: what they write later is theirs.
    if (this.isUnderWay) {
      await this.step()
      return this.#told()
    }
    const layer = this.#layer
    if (!layer) return whyDirect === undefined ? this.#told() : await this.#toldDirect(whyDirect)
    let set: ChangeSet
    try {
      set = this.#read(layer)
      if (set.changes.length > 0 || set.exceeded) this.#judge(set, layer)
    } catch (error) {
      this.drop()
      throw error
    }
    if (set.changes.length > 0) await this.#put(set, layer)
    this.drop()
    return this.#told()
  }

  #read(layer: Layer): ChangeSet {
    const read = readChanges(layer, this.#project.limits, this.#layerSteps.known)
    this.#project.earlyBases.noteStale(read, layer)
    const set = withoutEmptyAreas(read, this.#call.profile, layer.lower)
    this.#isWhole = set.changes.length === read.changes.length
    return set
  }

  #judge(set: ChangeSet, layer: Layer): void {
    const [first, ...rest] = judgeChanges(set, writeRules(this.#call.profile, this.#project, layer.lower))
    if (!first) return
    const diff = unifiedDiff(set, layerContents(layer))
    if (!this.mustHold && this.#steps.length === 0)
      this.#project.log.save({ ...this.#record([set]), state: 'discarded', diff })
    throw faultError([first, ...rest])
  }

  async #put(set: ChangeSet, layer: Layer): Promise<void> {
    if (this.#isWhole && this.#steps.length === 0 && this.#call.held?.adopt(set, layer)) {
      this.#layer = undefined
      return this.#done(set)
    }
    try {
      this.#done(await this.#ground.put(set, layer, this.#record([...this.#steps])))
    } catch (error) {
      // A conflict, or a full disk: nothing was changed, and what was written is kept for a look.
      if (this.mustHold) this.drop()
      else this.#kept = this.#keep(set, layer, error)
      throw error
    }
  }

  /** What was put in place from its layer while its process runs. */
  get #layerSteps(): LayerSteps {
    this.#settled ??= new LayerSteps()
    return this.#settled
  }

  #done(set: ChangeSet): void {
    const step = { ...set, atMs: Date.now() }
    this.#steps.push(step)
    this.#all.push(step)
  }

  /** What it put in place so far, with what the calls that it made did. */
  get inPlace(): readonly ChangeSet[] {
    return this.#all
  }

  /** A call that this one made has put something in place. */
  caused(sets: readonly ChangeSet[]): void {
    this.#all.push(...sets)
  }

  /** Keeps what a call wrote that was stopped, for a look (`effects.onStop: hold`). */
  async holdStopped(why: unknown): Promise<Effects | undefined> {
    await this.#isLeft()
    const layer = this.#layer
    if (!layer) return undefined
    try {
      const set = this.#read(layer)
      if (set.changes.length === 0) return undefined
      this.#judge(set, layer)
      const { held } = this.#call
      if (!held) return this.#keep(set, layer, why)
      this.#done(await held.put(set, layer))
      const reason = errorData(why).message
      return effectsOf(this.#steps, { state: 'held', changeSet: held.id, reason })
    } catch {
      // The engine was ended before it could say what was written, or it may not be put in place at all.
      return undefined
    } finally {
      this.drop()
    }
  }

  #keep(set: ChangeSet, layer: Layer, why: unknown): Effects {
    const reason = errorData(why).message
    const steps = [...this.#steps, set]
    this.#project.keepHeld(set, { ...this.#record(steps), state: 'held', layer: layer.folder, reason })
    markHeld(layer)
    this.#layer = undefined
    const { run, session } = this.#call
    return effectsOf(steps, { state: 'held', changeSet: run, reason, ...defined({ session }) })
  }

  /** What the outcome says: the steps that are in place, or part of a held run. */
  #told(): Effects {
    const { run, held, session } = this.#call
    if (this.#all.length === 0) return noEffects
    const state = held?.state ?? 'committed'
    return effectsOf(this.#all, { state, changeSet: held?.id ?? run, ...defined({ session }) })
  }

  /** What came of a call that wrote to the files itself. */
  async #toldDirect(reason: string): Promise<Effects> {
    const watched = await this.#watching?.end()
    this.#watching = undefined
    const made = watched ? this.#protectedMade(watched) : undefined
    const why = [reason, watched?.reason, made].filter((part) => part !== undefined).join('; ')
    if (!watched || watched.changes.length === 0) return { ...noEffects, state: 'direct', reason: why }
    const { changes } = watched
    const record = this.#record([{ changes }])
    this.#project.setAsideMade({ changes }, record)
    this.#project.log.save({ ...record, state: 'direct', reason: why, diff: '' })
    return effectsOf([{ changes }], { state: 'direct', changeSet: this.#call.run, reason: why })
  }

  /** A mount cannot keep a name from being made that is missing (G6): that it was made is said. */
  #protectedMade({ changes }: ChangeSet): string | undefined {
    const { profile } = this.#call
    const made = changes.flatMap(({ kind, path }) => {
      const full = posix.join(this.#project.project, path)
      const isNew = kind === 'created' || kind === 'link'
      const place =
        isNew && whyProtected({ path: full, isReplaced: false }, profile, this.#project.protectedSet)
      return place ? [`${path} (${place.reason})`] : []
    })
    return made.length === 0
      ? undefined
      : `look at what is protected and was made meanwhile: ${made.join(', ')}`
  }

  /** What is kept of a call, or was left in place by its steps, that could not be settled; undefined: nothing. */
  get left(): Effects | undefined {
    return this.#kept ?? (this.#all.length > 0 && !this.mustHold ? this.#told() : undefined)
  }

  #record(steps: readonly ChangeSet[]): ChangeRecord {
    const { run, within, session, tool } = this.#call
    return { run, within, session, tool, at: new Date().toISOString(), state: 'committed', steps }
  }

  /** The call was stopped, or everything is in place: the layer goes as soon as no process stands on it. */
  drop(): void {
    this.#isDropped = true
    this.#project.earlyBases.forget(this)
    void this.#watching?.end()
    if (this.#open <= 0) this.#remove()
  }

  #remove(): void {
    if (this.#layer) this.#ground.discard(this.#layer)
    this.#layer = undefined
  }
}

function formerSteps({ log }: ProjectChanges, run: string): ChangeSet[] {
  const former = log.find(run)
  return former?.state === 'committed' ? [...former.steps] : []
}
