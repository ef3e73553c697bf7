// The layer of a warm worker (E4). While a worker has written nothing it serves on; between two calls it is shown what
// changed in the project. Once it has written, the layer belongs to the call that wrote, and the worker ends.
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import type { Holding } from '../fence.ts'
import type { Ground } from './ground.ts'
import { begunNow, type Layer } from './layer.ts'
import { LayerSteps } from './layer-steps.ts'

export class WorkerLayer implements Holding {
  readonly isWarm = true
  /** Whether its writes are held at all: it has a layer. */
  isHeld = false
  /** What its calls have put in place while it ran. */
  readonly steps = new LayerSteps()
  readonly mustHold: boolean
  readonly isDirect: string | undefined
  readonly #ground: Ground
  #layer: Layer | undefined
  #isTaken = false
  #isReleased = false
  #calls = 0
  #answers: ((isFresh: boolean) => void)[] = []
  #control: Duplex | undefined

  constructor(ground: Ground, { mustHold, isDirect }: Pick<Holding, 'mustHold' | 'isDirect'>) {
    this.#ground = ground
    this.mustHold = mustHold === true
    this.isDirect = isDirect
  }

  layer(state: string): Layer {
    this.#layer = this.#ground.makeLayer(`worker-${randomUUID()}`, state)
    this.isHeld = true
    return this.#layer
  }

  released(): void {
    for (const answer of this.#answers.splice(0)) answer(false)
    this.#isReleased = true
    this.#removeUnused()
  }

  /** A call begins; the layer stays until it is told what was written, however its process ends. */
  enter(): void {
    this.#calls += 1
  }

  leave(): void {
    this.#calls -= 1
    this.#removeUnused()
  }

  #removeUnused(): void {
    if (this.#layer && this.#isReleased && this.#calls === 0 && !this.#isTaken)
      this.#ground.discard(this.#layer)
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

  get isTaken(): boolean {
    return this.#isTaken
  }

  get hasWrites(): boolean {
    try {
      return this.#layer !== undefined && readdirSync(this.#layer.upper).length > 0
    } catch {
      // Somebody deleted it: whatever the worker wrote is lost, and reading it says so.
      return true
    }
  }

  /** The layer as it stands, while the process is on it. */
  get current(): Layer | undefined {
    return this.#layer
  }

  /** Has the process see the project as it is now; false when that cannot be said. */
  refresh(): Promise<boolean> {
    return this.#tell('r')
  }

  /** Has what only the engine can read of the layer written down, as things stand. */
  note(): Promise<boolean> {
    return this.#tell('n')
  }

  #tell(word: 'r' | 'n'): Promise<boolean> {
    if (!this.#layer) return Promise.resolve(true)
    const control = this.#control
    if (!control || control.destroyed) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#answers.push(resolve)
      control.write(word)
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
