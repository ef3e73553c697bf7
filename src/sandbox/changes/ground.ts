// What calls stand on and put their changes into: the project, or the layer of a held run around them (E13).
import type { ChangeRecord } from './change-log.ts'
import type { ChangeSet } from './change-set.ts'
import type { Layer } from './layer.ts'

export interface Ground {
  /** Id of the held run whose layer it is; '': the project itself. */
  readonly id: string
  makeLayer(run: string, state: string): Layer
  /** Throws a layer away that was made here. */
  discard(layer: Layer): void
  /** Puts a judged change set in place and keeps its record; gives what was really changed. */
  put(set: ChangeSet, layer: Layer, record: ChangeRecord): Promise<ChangeSet>
}
