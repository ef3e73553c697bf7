// One call in a warm worker whose writes are held (E4): before it, the worker sees the project as it is now; when it has
// written, it takes no more calls, and what it wrote goes to the call.
import type { CallChanges } from '../sandbox/changes/call-changes.ts'
import { removeLayer } from '../sandbox/changes/layer.ts'
import type { WorkerLayer } from '../sandbox/changes/worker-layer.ts'
import type { Worker } from './worker.ts'

/** False when the worker cannot serve this call: take another. It is retired then. */
export async function isFresh(worker: Worker): Promise<boolean> {
  const { layer } = worker
  // Where another call of the same run is under way in it, it is on its layer.
  if (!layer?.isHeld || worker.running > 0) return true
  // What it wrote after its last call had ended belongs to nobody; before the first there is only what the fence made.
  if (worker.served === 0 || (!layer.hasWrites && (await layer.refresh()))) {
    layer.begin()
    return true
  }
  worker.claimed--
  worker.retire()
  return false
}

/** A call begins in a worker. Refuses where it must be held and the worker's writes are not (E2). */
export function beginOnLayer(worker: Worker, changes: CallChanges | undefined): void {
  worker.layer?.enter()
  changes?.use(worker.layer)
  const reason = worker.enforcement.reasons?.['effects']
  if (!changes || worker.layer?.isHeld || reason === undefined) return
  try {
    changes.writesDirectly(reason)
  } catch (error) {
    worker.claimed--
    worker.onChange()
    throw error
  }
}

/** Called at the end of a call, before the worker can get another one. */
export function retireIfWritten(worker: Worker): void {
  if (!worker.layer?.hasWrites || worker.running > 0) return
  worker.hasWritten = true
  worker.retire()
}

/** Gives the last call in a worker what the worker wrote; a promise where the worker must be gone first. */
export function handOver(worker: Worker, changes: CallChanges | undefined): undefined | Promise<void> {
  const { layer } = worker
  if (!layer?.isHeld) return undefined
  const isLast = worker.running === 0
  if (isLast && worker.isRetired && layer.hasWrites && !layer.isTaken) return give(worker, layer, changes)
  try {
    if (isLast) changes?.take()
    else changes?.leave()
  } finally {
    layer.leave()
  }
  return undefined
}

async function give(worker: Worker, layer: WorkerLayer, changes: CallChanges | undefined): Promise<void> {
  try {
    // Taken first: with the end of the process it would go.
    const written = layer.take()
    await worker.kill()
    if (changes) changes.take(written)
    else removeLayer(written)
  } finally {
    layer.leave()
  }
}
