// One call in a warm worker whose writes are held (E4): before it, the worker sees the project as it is now; when it has
// written, it takes no more calls, and what it wrote goes to the call.
import type { CallChanges } from '../sandbox/changes/call-changes.ts'
import { removeLayer } from '../sandbox/changes/layer.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Worker } from './worker.ts'

/** False when the worker cannot serve this call: take another. It is retired then. */
export async function isFresh(worker: Worker): Promise<boolean> {
  const { layer } = worker
  if (!layer?.isHeld) return true
  // What it wrote after its last call had ended belongs to nobody.
  if (!layer.hasWrites && (worker.served === 0 || (await layer.refresh()))) {
    layer.begin()
    return true
  }
  worker.claimed--
  worker.retire()
  return false
}

/** Refuses where the call must be held and the worker's writes are not (E2). */
export function mustBeHeld(worker: Worker, changes: CallChanges | undefined): void {
  if (!changes?.mustHold || worker.layer?.isHeld) return
  const reason = worker.enforcement.reasons?.['effects']
  if (reason === undefined) return
  worker.claimed--
  worker.onChange()
  throw new ToolError('SANDBOX_UNAVAILABLE', `What it would write cannot be held here: ${reason}.`, {
    hint: 'See `toolcrib doctor`.',
  })
}

/** Called at the end of a call, before the worker can get another one. */
export function retireIfWritten(worker: Worker): void {
  if (!worker.layer?.hasWrites) return
  worker.hasWritten = true
  worker.retire()
}

/** Gives the call what its worker wrote, and waits until the worker is gone. */
export async function handOver(worker: Worker, changes: CallChanges | undefined): Promise<void> {
  const { layer } = worker
  if (!layer?.isHeld || !worker.isRetired || !layer.hasWrites) return
  // Taken first: with the end of the process it would go.
  const written = layer.take()
  await worker.kill()
  if (changes) changes.take(written)
  else removeLayer(written)
}
