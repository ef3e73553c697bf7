// What calls change in one project: makes their layers, commits, keeps the record, takes back, and at the start
// finishes what a process that died left behind.
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { makeFolder } from '../../config/make-folder.ts'
import { isLiveNode } from '../../config/node-identity.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { ProtectedSet } from '../../trust/protected-set.ts'
import type { SetAside } from '../../trust/set-aside.ts'
import { noteBases } from './bases.ts'
import { type CarriedChange, carriedChanges } from './carried-changes.ts'
import { ChangeLog, type ChangeRecord } from './change-log.ts'
import { type ChangeSet, transitionsOf } from './change-set.ts'
import { type CommitOptions, commitChanges, keepImages } from './commit-changes.ts'
import { type ContentSource, layerSource } from './content-source.ts'
import { DirectWatch } from './direct-watch.ts'
import { EarlyBases } from './early-bases.ts'
import type { Ground } from './ground.ts'
import { Images } from './images.ts'
import { isHeld, type Layer, layersOf, projectState, removeLayer, removeLayerLater } from './layer.ts'
import { layerPlaces } from './layer-places.ts'
import type { ChangeLimits } from './read-changes.ts'
import { type Recovered, recover } from './recover.ts'
import { isMergeable } from './resolve-conflicts.ts'
import { SpareLayer } from './spare-layer.ts'
import { madeEntries, writtenEntries } from './written-entries.ts'

const hourMs = 3_600_000

export interface ProjectChangesOptions {
  readonly project: string
  /** `.toolcrib/` of the crib: journals lie on the project's file system. */
  readonly stateFolder: string
  /** The user's state folder, where images and records are, and layers if it can hold them. */
  readonly userState: string
  /** Further folders in which the crib itself writes while calls run. */
  readonly ownFolders?: readonly string[]
  settings(): Config['effects']
  protectedSet(): ProtectedSet
  /** Whether a path might be read as a definition, a module or a setting. */
  mayBeRead?(path: string): boolean
  /** What would count for nothing once a tool wrote it (G7). */
  readonly setAside?: SetAside
  /** Carries changes from one layer to another, through the engine of the fence; absent: there is none. */
  carry?(changes: readonly CarriedChange[], layers: CarryLayers): Promise<void>
}

export interface CarryLayers {
  readonly from: Layer
  readonly into: Layer
}

export class ProjectChanges implements Ground {
  readonly id = ''
  /** The project's real path. */
  readonly project: string
  readonly log: ChangeLog
  readonly images: Images
  /** Sees what is written past every layer. */
  readonly direct: DirectWatch
  /** Keeps what calls under way began with. */
  readonly earlyBases: EarlyBases
  readonly journals: string
  readonly #options: ProjectChangesOptions
  readonly #layers: SpareLayer
  /** What goes on behind the back of whoever waited for a call: layers removed, journals closed. */
  readonly #behind = new Set<Promise<void>>()
  #prunedMs = 0

  constructor(options: ProjectChangesOptions) {
    const { project, stateFolder, userState, ownFolders = [] } = options
    this.#options = options
    this.project = nearestRealPath(project)
    this.journals = join(stateFolder, 'journals')
    this.#layers = new SpareLayer(this.project)
    this.direct = new DirectWatch(this.project, [userState, ...ownFolders])
    this.log = new ChangeLog(projectState('changes', project, userState))
    this.images = new Images(projectState('images', project, userState))
    this.earlyBases = new EarlyBases(this.images)
  }

  get settings(): Config['effects'] {
    return this.#options.settings()
  }

  get limits(): ChangeLimits {
    return this.settings
  }

  get protectedSet(): ProtectedSet {
    return this.#options.protectedSet()
  }

  makeLayer(run: string, state: string): Layer {
    return this.#layers.take(run, state)
  }

  /** Throws a layer away, behind the back of whoever waits for the call. */
  discard(layer: Layer): void {
    this.#later(removeLayerLater(layer))
  }

  #later(work: Promise<void>): void {
    const own: Promise<void> = work.catch(() => {}).finally(() => this.#behind.delete(own))
    this.#behind.add(own)
  }

  /** Ends watches, and waits until journals are closed and what was thrown away is gone. */
  async close(): Promise<void> {
    this.direct.close()
    this.earlyBases.close()
    this.#layers.close()
    while (this.#behind.size > 0) await Promise.all(this.#behind)
  }

  put(set: ChangeSet, layer: Layer, record: ChangeRecord): Promise<ChangeSet> {
    return this.commit(set, layerSource(layer), record, layer)
  }

  /** Makes a judged change set part of the layer of a held run. */
  async bring(set: ChangeSet, layers: CarryLayers): Promise<void> {
    const { carry } = this.#options
    if (!carry) throw new ToolError('SANDBOX_UNAVAILABLE', 'Nothing here can bring changes to a layer.')
    await carry(carriedChanges(set), layers)
  }

  /** Puts a change set in place and keeps its record; `record` has the steps before it. */
  async commit(
    set: ChangeSet,
    source: ContentSource,
    record: ChangeRecord,
    layer?: Layer,
  ): Promise<ChangeSet> {
    const options = this.commitOptions(record, this.settings.onConflict)
    const announce = (put: ChangeSet) => this.#setAside(put, record)
    const done = await commitChanges(set, source, { ...options, announce, madeAtMs: layer?.madeAtMs })
    this.#prune()
    return done
  }

  /** What a call made that writes to the files itself counts no more than what comes from a layer (G7). */
  setAsideMade(set: ChangeSet, by: ChangeRecord): void {
    const { setAside, mayBeRead = () => true } = this.#options
    setAside?.note(madeEntries(set, this.project, mayBeRead), by)
  }

  /**
   * Keeps the record of a change set that waits. The files may change before somebody decides: texts are kept as they
   * are now, so that the two can be merged then (E12).
   */
  keepHeld(set: ChangeSet, record: ChangeRecord): void {
    const texts = set.changes.flatMap(transitionsOf).filter(({ before }) => isMergeable(before))
    try {
      keepImages(texts, this.project, this.images)
      noteBases(this.images.folder, texts)
    } catch {
      // A full disk, or a file that changes at this moment: it is a conflict later.
    }
    this.log.save(record)
  }

  #setAside(set: ChangeSet, by: ChangeRecord): void {
    const { setAside, mayBeRead = () => true } = this.#options
    setAside?.note(writtenEntries(set, this.project, mayBeRead), by)
  }

  /** Lets old images and records go, at most once an hour (E15). */
  #prune(): void {
    if (Date.now() - this.#prunedMs < hourMs) return
    this.#prunedMs = Date.now()
    const { keep } = this.settings
    this.images.prune(keep)
    this.log.prune(keep.days)
  }

  commitOptions(record: ChangeRecord, onConflict: CommitOptions['onConflict']): CommitOptions {
    makeFolder(this.journals, 0o700)
    return {
      project: this.project,
      journals: this.journals,
      images: this.images,
      run: record.run,
      onConflict,
      later: (closing) => this.#later(closing),
      record: (done) => this.log.save({ ...record, steps: [...record.steps, { ...done, atMs: Date.now() }] }),
    }
  }

  /** Finishes open commits and removes what stopped runs left (E10, E11). Called once, before the first call. */
  async recover(): Promise<readonly Recovered[]> {
    const { userState } = this.#options
    const recovered = await recover(this.journals, {
      project: this.project,
      images: this.images,
      record: (set, run) => this.#recordRecovered(run, set),
    })
    for (const { run, state } of recovered) {
      const record = this.log.find(run)
      if (record) this.log.save({ ...record, recovered: state })
    }
    const layers = layerPlaces(this.project, userState).flatMap((state) => layersOf(this.project, state))
    for (const layer of layers) if (!isLiveNode(layer.owner) && !isHeld(layer)) removeLayer(layer)
    return recovered
  }

  #recordRecovered(run: string, set: ChangeSet): void {
    const known = this.log.find(run)
    const base = known ?? { run, tool: '', at: new Date().toISOString(), steps: [] }
    const isThere = known?.state === 'committed'
    if (!isThere)
      this.log.save({
        ...base,
        state: 'committed',
        steps: [...base.steps, set],
        recovered: 'carried-through',
      })
  }
}
