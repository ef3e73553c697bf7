// Brings what a call wrote onto the layer of the held run that it is a part of (E13).
import type { CarriedChange } from '../sandbox/changes/carried-changes.ts'
import type { CarryLayers } from '../sandbox/changes/project-changes.ts'
import type { Fence } from '../sandbox/fence.ts'
import { ToolError } from '../tool/tool-error.ts'
import { runToEnd } from '../workers/run-to-end.ts'
import type { Supervisor } from '../workers/supervisor.ts'

const maxDurationMs = 120_000

export async function carryChanges(
  { fence, supervisor }: { readonly fence: Fence; readonly supervisor: Supervisor },
  changes: readonly CarriedChange[],
  layers: CarryLayers,
): Promise<void> {
  if (!fence.carry) throw new ToolError('SANDBOX_UNAVAILABLE', 'No layer can be mounted here.')
  const ended = await runToEnd(supervisor, fence.carry(changes, layers), {
    maxBytes: 65_536,
    timeoutMs: maxDurationMs,
    signal: new AbortController().signal,
  })
  if (ended.exitCode === 0) return
  throw new ToolError(
    'TOOL_FAILED',
    `What the call wrote could not be made part of the held run: ${ended.stderr.text.trim() || 'the engine ended'}`,
    { hint: 'Nothing of the call is kept; look at the disk, then call it again.' },
  )
}
