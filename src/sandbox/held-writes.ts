// Can what a process writes be held apart from the project until it is judged, and where (E1, E2)?
import { userState } from '../config/spaces.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Layer } from './changes/layer.ts'
import { layerPlaces } from './changes/layer-places.ts'
import { mountedInside } from './changes/mounted-inside.ts'
import type { EffectsLabel } from './enforcement.ts'
import type { Engine } from './engine.ts'
import type { Engines } from './engines.ts'
import type { Holding } from './fence.ts'
import type { OpenFenceOptions } from './open-fence.ts'
import type { Profile } from './profile.ts'

/** Where layers are kept, or why there can be none. */
type LayerPlace = { readonly state: string } | { readonly reason: string }

export class HeldWrites {
  readonly #options: Pick<OpenFenceOptions, 'mode' | 'project' | 'userState' | 'engine'>
  readonly #engines: Engines
  #place: LayerPlace | undefined

  constructor(
    options: Pick<OpenFenceOptions, 'mode' | 'project' | 'userState' | 'engine'>,
    engines: Engines,
  ) {
    this.#options = options
    this.#engines = engines
  }

  /** Whether what a start writes can be held, before anything is made for it (E1, E2). */
  effects(profile: Profile, holding: Holding | undefined, engine: Engine | undefined): EffectsLabel {
    if (profile.write.length > 0) return this.writing(holding, engine)
    return { state: 'none', isOnLayer: holding?.mustHold && this.writing(holding, engine).state === 'held' }
  }

  /** Of one that writes: held, or why not. */
  writing(holding: Pick<Holding, 'isDirect'> | undefined, engine: Engine | undefined): EffectsLabel {
    const direct = (reason: string): EffectsLabel => ({ state: 'direct', reason })
    if (this.#options.mode === 'off') return direct('the sandbox is off')
    if (!holding) return direct('what runs like this writes to the files itself')
    if (holding.isDirect !== undefined) return direct(holding.isDirect)
    if (!engine) return direct('nothing here can put a process behind a fence')
    if (!engine.layers) return direct(this.#whyNoLayer(engine))
    const mounted = mountedInside(this.#options.project)
    // An overlay does not reach into other file systems: what is mounted there would look empty.
    if (mounted !== undefined) return direct(`another file system is mounted inside the crib, at ${mounted}`)
    const place = this.#placeFor(engine)
    return 'state' in place ? { state: 'held' } : direct(place.reason)
  }

  layer(holding: Holding, engine: Engine): Layer {
    return holding.layer((this.#placeFor(engine) as { readonly state: string }).state)
  }

  /** Where the layers of this project are kept; found once. */
  #placeFor(engine: Engine): LayerPlace {
    if (!this.#place) {
      const { project, userState: state = userState() } = this.#options
      let reason = 'there is no folder outside the crib for layers'
      for (const candidate of layerPlaces(project, state)) {
        const why = engine.whyNoLayer?.(project, candidate)
        if (why === undefined) {
          this.#place = { state: candidate }
          return this.#place
        }
        reason = `no overlay of ${project} can be mounted with its changes in ${candidate}: ${why}`
      }
      this.#place = { reason }
    }
    return this.#place
  }

  #whyNoLayer({ name }: Engine): string {
    if (name === 'bubblewrap' && this.#options.engine === name)
      return 'sandbox.engine is bubblewrap; the launcher can hold changes'
    const { found, reason } = this.#engines.probe('launcher')
    const place = found ? this.#placeFor(found) : { reason: `no overlay can be mounted here: ${reason}` }
    return 'reason' in place ? place.reason : 'no overlay can be mounted here'
  }
}

/** What must be held and cannot be does not start (E2). */
export function demandHeld(effects: EffectsLabel, holding: Holding | undefined): void {
  if (effects.state !== 'direct' || holding?.isDirect !== undefined || !holding?.mustHold) return
  throw new ToolError('SANDBOX_UNAVAILABLE', `What it would write cannot be held here: ${effects.reason}.`, {
    hint: 'See `toolcrib doctor`; set `effects: { default: direct }` to let tools write to the files.',
  })
}
