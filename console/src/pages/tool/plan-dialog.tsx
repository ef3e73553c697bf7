// What a call with the arguments of the form would do: resolved and checked by the server, and nothing of it done.
import { useState } from 'preact/hooks'
import { ask, idPath } from '../../api/client.ts'
import type { Outcome, Profile, Tool } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { FenceTable } from '../../parts/permit.tsx'
import { JsonTree } from '../../result/json-tree.tsx'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import { OutcomeError } from './outcome-error.tsx'

type Plan =
  | {
      readonly ok: true
      readonly runtime: string
      readonly plan: unknown
      readonly trust: string
      readonly grants: readonly string[]
      readonly profile?: Profile
    }
  | Extract<Outcome, { ok: false }>

export function PlanButton({ tool, params }: { tool: Tool; params: unknown }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="file" /> {say('Plan')}
      </button>
      {isOpen && (
        <Dialog title={say('What this call would do')} onClose={() => setOpen(false)}>
          <PlanView tool={tool.id} params={params} />
        </Dialog>
      )}
    </>
  )
}

function PlanView({ tool, params }: { tool: string; params: unknown }) {
  const { data, error } = useLoaded(async (signal) => {
    const body = { params, dryRun: true }
    const answer = await ask(`/api/tools/${idPath(tool)}/call`, { method: 'POST', body, signal })
    return (await answer.json()) as Plan
  }, [])
  if (error) return <Failure error={error} />
  if (!data) return <Loading what={say('the plan')} lines={4} />
  if (!data.ok) return <OutcomeError error={data.error} />
  return (
    <div class="stack">
      <p class="muted">{say('Everything is resolved and checked; nothing ran.')}</p>
      <dl class="facts">
        <dt>{say('Runtime')}</dt>
        <dd>{data.runtime}</dd>
        <dt>{say('Trust')}</dt>
        <dd>{data.trust}</dd>
        <dt>{say('Grants')}</dt>
        <dd class="mono">{data.grants.join(', ') || say('none')}</dd>
      </dl>
      <section aria-label={say('Plan')}>
        <JsonTree value={data.plan} />
      </section>
      {data.profile && <FenceTable profile={data.profile} />}
    </div>
  )
}
