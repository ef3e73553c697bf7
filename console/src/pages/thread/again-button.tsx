// The same once more from one step on: a run with its recorded arguments, an event as a new one.
import { useState } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { FullCrumb, RunDetail, Thread } from '../../api/types.ts'
import { Icon } from '../../parts/icon.tsx'
import { announce } from '../../state/notices.ts'
import { goTo, linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { CreateCrumb } from '../crumbs/create-crumb.tsx'

export function AgainButton({ node }: { node: Thread['nodes'][number] }) {
  const [event, setEvent] = useState<FullCrumb | null>(null)
  const again = async () => {
    try {
      if (node.kind === 'run') goTo(await formOf(node))
      else setEvent(await askJson<FullCrumb>(`/breadcrumbs/${encodeURIComponent(node.crumb ?? '')}/full`))
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <>
      <button type="button" class="button" onClick={again}>
        <Icon name="play" /> {say('Run again from here')}
      </button>
      {event && <CreateCrumb like={event} onClose={() => setEvent(null)} />}
    </>
  )
}

/** The form of the tool, filled in where the arguments were recorded: a person sees them before they go out. */
async function formOf({ title, runId = '' }: Thread['nodes'][number]): Promise<string> {
  const run = await askJson<RunDetail>(`/api/runs/${idPath(runId)}`)
  if (run.isInFull) return linkTo('tools', title, { params: JSON.stringify(run.params ?? {}) })
  announce(say('Only the shape of the parameters was recorded; set audit.params: full to keep values'))
  return linkTo('tools', title)
}
