// A run whose file changes are held or thrown away, with every call that it makes (E9, E13): they all see, and become
// part of, one layer. Nothing of it is in the project before somebody accepts it.
import { defined } from '../../tool/defined.ts'
import type { Effects } from '../../tool/outcome.ts'
import { errorData, ToolError } from '../../tool/tool-error.ts'
import type { Profile } from '../profile.ts'
import type { ChangeRecord } from './change-log.ts'
import { type ChangeSet, type EntryState, isSameState, transitionsOf } from './change-set.ts'
import { effectsOf, noEffects } from './effects-of.ts'
import type { Ground } from './ground.ts'
import { inTurn } from './in-turn.ts'
import { faultError, judgeChanges } from './judge-changes.ts'
import { type Layer, makeLayer, markEmpty, markHeld, mountedAgain } from './layer.ts'
import type { ProjectChanges } from './project-changes.ts'
import { layerContents, readChanges } from './read-changes.ts'
import { unifiedDiff } from './unified-diff.ts'
import { writeRules } from './write-rules.ts'

export interface HeldRunParts {
  readonly run: string
  readonly session?: string | undefined
  readonly tool: string
  readonly policy: 'hold' | 'discard'
  /** What the run itself may write; null: nothing. */
  profile(): Profile | null
}

export class HeldRun implements Ground {
  readonly #project: ProjectChanges
  readonly #parts: HeldRunParts
  /** What calls put there, by path: it was judged then. */
  readonly #judged = new Map<string, EntryState | null>()
  #layer: Layer | undefined
  #made = 0
  #isBroughtTo = false

  constructor(project: ProjectChanges, parts: HeldRunParts) {
    this.#project = project
    this.#parts = parts
  }

  get id(): string {
    return this.#parts.run
  }

  get state(): 'held' | 'discarded' {
    return this.#parts.policy === 'hold' ? 'held' : 'discarded'
  }

  /** A layer on top of what was written in this run so far. */
  makeLayer(run: string, state: string): Layer {
    if (!this.#layer) {
      this.#layer = this.#project.makeLayer(`held-${this.id}`, state)
      markEmpty(this.#layer)
    }
    this.#made += 1
    return makeLayer({
      project: this.#project.project,
      run,
      state,
      owner: this.#layer.owner,
      below: this.#layer,
    })
  }

  discard(layer: Layer): void {
    this.#project.discard(layer)
  }

  async put(set: ChangeSet, layer: Layer): Promise<ChangeSet> {
    return await inTurn([this.#layer!.folder], async () => {
      const stale = set.changes.flatMap(transitionsOf).filter(({ isStale }) => isStale)
      if (stale.length > 0) throw staleError(stale.map(({ path }) => path))
      await this.#bring(set, layer)
      for (const { path, after } of set.changes.flatMap(transitionsOf)) this.#judged.set(path, after ?? null)
      return set
    })
  }

  /** Takes the layer of its first and only call for its own; false: others stand on what is there. */
  adopt(set: ChangeSet, layer: Layer): boolean {
    if (this.#made > 1 || this.#isBroughtTo) return false
    this.discard(this.#layer!)
    this.#layer = { ...layer, below: undefined }
    for (const { path, after } of set.changes.flatMap(transitionsOf)) this.#judged.set(path, after ?? null)
    return true
  }

  async #bring(set: ChangeSet, from: Layer): Promise<void> {
    this.#isBroughtTo = true
    await this.#project.bring(set, { from, into: mountedAgain(this.#layer!) })
  }

  /** The run ended by itself: all that was written is told, and held or thrown away. */
  settle(): Effects {
    const layer = this.#layer
    if (!layer) return noEffects
    const set = readChanges(layer, this.#project.limits)
    if (set.changes.length === 0 && !set.exceeded) {
      this.drop()
      return noEffects
    }
    const [first, ...rest] = judgeChanges(set, this.#rules(layer))
    if (first) {
      this.#discard(set, layer)
      throw faultError([first, ...rest])
    }
    return this.#parts.policy === 'discard' ? this.#discard(set, layer) : this.hold(set)
  }

  #rules(layer: Layer) {
    const profile = this.#parts.profile()
    const rules = profile
      ? writeRules(profile, this.#project, layer.lower)
      : { project: layer.lower, mayWrite: () => false, isProtected: () => undefined }
    return {
      ...rules,
      limits: this.#project.limits,
      isJudged: (path: string, after: EntryState | undefined) => {
        const known = this.#judged.get(path)
        return known !== undefined && isSameState(known ?? undefined, after)
      },
    }
  }

  #discard(set: ChangeSet, layer: Layer): Effects {
    const diff = unifiedDiff(set, layerContents(layer))
    this.#project.log.save({ ...this.#record([set]), state: 'discarded', diff })
    this.drop()
    return this.#told(set, 'discarded')
  }

  /** Keeps it until somebody decides, also over a restart. */
  hold(set?: ChangeSet, why?: unknown): Effects {
    const layer = this.#layer
    if (!layer) return noEffects
    const read = set ?? readChanges(layer, this.#project.limits)
    if (read.changes.length === 0) {
      this.drop()
      return noEffects
    }
    const reason = why === undefined ? undefined : errorData(why).message
    this.#project.keepHeld(read, { ...this.#record([read]), state: 'held', layer: layer.folder, reason })
    markHeld(layer)
    this.#layer = undefined
    return this.#told(read, 'held', reason)
  }

  #told(set: ChangeSet, state: 'held' | 'discarded', reason?: string): Effects {
    const { session } = this.#parts
    return effectsOf([set], { state, changeSet: this.id, ...defined({ session, reason }) })
  }

  #record(steps: readonly ChangeSet[]): ChangeRecord {
    const { run, session, tool } = this.#parts
    return { run, session, tool, at: new Date().toISOString(), state: 'held', steps }
  }

  drop(): void {
    if (this.#layer) this.discard(this.#layer)
    this.#layer = undefined
  }
}

function staleError(paths: readonly string[]): ToolError {
  return new ToolError(
    'CONFLICT',
    `Changed meanwhile by another call of the same held run: ${paths.slice(0, 5).join(', ')}.`,
    { hint: 'Let calls that change the same file go one after the other.', details: { paths: [...paths] } },
  )
}
