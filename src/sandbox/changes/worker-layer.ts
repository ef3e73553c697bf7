// The layer of a warm worker (E4). While a worker has written nothing it serves on; between two calls it is shown what
// changed in the project. Once it has written, the layer belongs to the call that wrote, and the worker ends.
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import type { Holding } from '../fence.ts'
import { begunNow, type Layer, removeLayer } from './layer.ts'
import type { ProjectChanges } from './project-changes.ts'

export class WorkerLayer implements Holding {
  readonly isWarm = true
  readonly mustHold: boolean
  readonly isDirect: string | undefined
  readonly #project: ProjectChanges
  #layer: Layer | undefined
  #isTaken = false
  #answers: ((isFresh: boolean) => void)[] = []
  #control: Duplex | undefined

  constructor(project: ProjectChanges, { mustHold, isDirect }: Pick<Holding, 'mustHold' | 'isDirect'>) {
    this.#project = project
    this.mustHold = mustHold === true
    this.isDirect = isDirect
  }

  layer(state: string): Layer {
    this.#layer = this.#project.makeLayer(`worker-${randomUUID()}`, state)
    return this.#layer
  }

  released(): void {
    for (const answer of this.#answers.splice(0)) answer(false)
    if (this.#layer && !this.#isTaken) removeLayer(this.#layer)
  }

  /** Takes the way to speak to the engine, once the process is started. */
  connect(control: Duplex | undefined): void {
    this.#control = control
    control?.on('data', (bytes: Buffer) => {
      for (const byte of bytes) this.#answers.shift()?.(byte === 0x79)
    })
    control?.on('error', () => {})
    ;(control as { unref?(): void } | undefined)?.unref?.()
  }

  /** Whether its writes are held at all. */
  get isHeld(): boolean {
    return this.#layer !== undefined
  }

  get hasWrites(): boolean {
    try {
      return this.#layer !== undefined && readdirSync(this.#layer.upper).length > 0
    } catch {
      // Somebody deleted it: whatever the worker wrote is lost, and reading it says so.
      return true
    }
  }

  /** Has the process see the project as it is now; false when that cannot be said. */
  refresh(): Promise<boolean> {
    if (!this.#layer) return Promise.resolve(true)
    const control = this.#control
    if (!control || control.destroyed) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#answers.push(resolve)
      control.write('r')
    })
  }

  /** A call begins: what changes in the project from now on changes while it runs. */
  begin(): void {
    if (this.#layer) this.#layer = begunNow(this.#layer)
  }

  /** The layer, for the call that wrote to it; it is whole when the worker has ended. */
  take(): Layer {
    this.#isTaken = true
    return this.#layer!
  }
}
