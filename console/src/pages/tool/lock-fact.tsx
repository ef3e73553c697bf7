// Whether the tool is pinned in the lock file, and whether it still is what was pinned.
import type { Tool } from '../../api/types.ts'

export function LockFact({ tool }: { tool: Tool }) {
  if (tool.state !== 'quarantined') return null
  return (
    <>
      <dt>Lock</dt>
      <dd>drifted from what was approved</dd>
    </>
  )
}
