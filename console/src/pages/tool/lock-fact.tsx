// Whether the tool is pinned in the lock file, and whether it still is what was pinned.
import { askJson } from '../../api/client.ts'
import type { DriftReport, Tool } from '../../api/types.ts'
import { linkTo } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'

export function LockFact({ tool }: { tool: Tool }) {
  const { data } = useLoaded(
    (signal) => askJson<DriftReport>('/api/drift', { signal }),
    [tool.id, tool.source.digest, tool.state],
  )
  if (!data) return null
  return (
    <>
      <dt>{say('Lock')}</dt>
      <dd>{wordsFor(data, tool)}</dd>
    </>
  )
}

function wordsFor(report: DriftReport, tool: Tool) {
  if (!report.locked) return say('no lock file')
  if (report.drifted.some((difference) => difference.tool === tool.id))
    return <a href={linkTo('review', tool.id)}>{say('drifted from what was approved')}</a>
  return report.unpinned.includes(`${tool.format}:${tool.id}`) ? say('not pinned') : say('pinned, unchanged')
}
