// The file changes of one call, from its layer to what becomes of them (E9, E10). A runtime asks it for layers, or
// gives it the layer of a warm worker that wrote; whoever ends the call settles or drops it.
import type { EffectPolicy } from '../../config/config.ts'
import type { Effects } from '../../tool/outcome.ts'
import { errorData, isToolError, type ToolError } from '../../tool/tool-error.ts'
import type { Holding } from '../fence.ts'
import type { Profile } from '../profile.ts'
import type { ChangeSet } from './change-set.ts'
import { layerSource } from './content-source.ts'
import { effectsOf, noEffects } from './effects-of.ts'
import { faultError, judgeChanges } from './judge-changes.ts'
import { type Layer, markHeld, mountedAgain, removeLayer } from './layer.ts'
import type { ProjectChanges } from './project-changes.ts'
import { layerContents, readChanges } from './read-changes.ts'
import { unifiedDiff } from './unified-diff.ts'
import { WorkerLayer } from './worker-layer.ts'
import { withoutEmptyAreas, writeRules } from './write-rules.ts'

/** Which call it is, and what its changes are to become. */
export interface ChangingCall {
  readonly run: string
  readonly parent?: string | undefined
  readonly session?: string | undefined
  readonly tool: string
  readonly policy: EffectPolicy
  readonly profile: Profile
}

export class CallChanges implements Holding {
  readonly #project: ProjectChanges
  readonly #call: ChangingCall
  readonly #steps: ChangeSet[] = []
  #layer: Layer | undefined
  #mounts = 0
  #open = 0
  #isDropped = false

  constructor(project: ProjectChanges, call: ChangingCall) {
    this.#project = project
    this.#call = call
  }

  get isDirect(): string | undefined {
    return this.#call.policy === 'direct' ? 'effects: direct is set for the tool' : undefined
  }

  /** Nothing may be written unless it is held. */
  get mustHold(): boolean {
    return this.#call.policy === 'hold' || this.#call.policy === 'discard'
  }

  layer(state: string): Layer {
    this.#open += 1
    this.#mounts += 1
    if (this.#layer) return mountedAgain(this.#layer, this.#mounts)
    this.#layer = this.#project.makeLayer(this.#call.run, state)
    return this.#layer
  }

  released(): void {
    this.#open -= 1
    if (this.#isDropped && this.#open === 0) this.#remove()
  }

  /** For a worker that serves this call and perhaps others. */
  workerLayer(): WorkerLayer {
    return new WorkerLayer(this.#project, this)
  }

  /** Takes over the layer of a worker that has ended. */
  take(layer: Layer): void {
    this.#layer = layer
  }

  /** The call ended by itself: what it wrote is judged and, by its policy, put in place. Throws what stands against it. */
  async settle(whyDirect?: string): Promise<Effects> {
    const layer = this.#layer
    if (!layer)
      return whyDirect === undefined ? noEffects : { ...noEffects, state: 'direct', reason: whyDirect }
    let set: ChangeSet
    try {
      set = withoutEmptyAreas(readChanges(layer, this.#project.limits), this.#call.profile, layer.lower)
    } catch (error) {
      this.drop()
      throw error
    }
    if (set.changes.length === 0 && !set.exceeded) {
      this.drop()
      return this.#steps.length === 0 ? noEffects : this.#effects('committed', this.#steps)
    }
    return await this.#judged(set, layer)
  }

  async #judged(set: ChangeSet, layer: Layer): Promise<Effects> {
    const { policy, profile } = this.#call
    const [first, ...rest] = judgeChanges(set, writeRules(profile, this.#project, layer.lower))
    if (first) {
      this.#discard(set, layer)
      throw faultError([first, ...rest])
    }
    if (policy === 'discard') return this.#discard(set, layer)
    if (policy === 'hold') return this.#hold(set, layer)
    try {
      this.#steps.push(
        await this.#project.commit(set, layerSource(layer), this.#record([...this.#steps]), layer),
      )
    } catch (error) {
      // A conflict, or a full disk: nothing was changed, and what was written is kept for a look.
      this.#hold(set, layer, isToolError(error) ? error : undefined)
      throw error
    }
    this.drop()
    return this.#effects('committed', this.#steps)
  }

  #discard(set: ChangeSet, layer: Layer): Effects {
    const steps = [...this.#steps, set]
    const diff = unifiedDiff(set, layerContents(layer))
    this.#project.log.save({ ...this.#record(steps), state: 'discarded', diff })
    this.drop()
    return this.#effects('discarded', steps)
  }

  #hold(set: ChangeSet, layer: Layer, why?: ToolError): Effects {
    const reason = why && errorData(why).message
    this.#project.log.save({
      ...this.#record([...this.#steps, set]),
      state: 'held',
      layer: layer.folder,
      reason,
    })
    markHeld(layer)
    this.#layer = undefined
    return this.#effects('held', [...this.#steps, set])
  }

  #effects(state: Effects['state'], steps: readonly ChangeSet[]): Effects {
    return effectsOf(steps, { state, changeSet: this.#call.run })
  }

  #record(steps: readonly ChangeSet[]) {
    const { run, parent, session, tool } = this.#call
    return { run, parent, session, tool, at: new Date().toISOString(), state: 'committed', steps } as const
  }

  /** The call was stopped, or everything is in place: the layer goes as soon as no process stands on it. */
  drop(): void {
    this.#isDropped = true
    if (this.#open <= 0) this.#remove()
  }

  #remove(): void {
    if (this.#layer) removeLayer(this.#layer)
    this.#layer = undefined
  }
}
