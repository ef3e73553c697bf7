// Whether a call with the arguments of the form would go through, asked of the kernel while one types.
import { useEffect, useRef, useState } from 'preact/hooks'
import { idPath } from '../../api/client.ts'
import type { Permit as PermitAnswer, Tool } from '../../api/types.ts'
import { FenceTable, Permit, stopsBefore } from '../../parts/permit.tsx'
import { useQuery } from '../../state/query.ts'
import { say } from '../../words/say.ts'
import { PermitFix } from './permit-fix.tsx'

const mostParams = 4_000

export function useToolPermit(tool: Tool, params: unknown): PermitAnswer | null {
  const text = JSON.stringify(params) ?? ''
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.length > mostParams ? '' : text), 250)
    return () => clearTimeout(timer)
  }, [text])
  const query = asked === '' ? '' : `?params=${encodeURIComponent(asked)}`
  const { data } = useQuery<PermitAnswer>(`/api/tools/${idPath(tool.id)}/why${query}`, [
    'catalog',
    'settings',
  ])
  // What was known stays in sight until the new answer is there.
  const last = useRef<PermitAnswer | null>(null)
  if (data) last.current = data
  return last.current
}

interface ToolPermitProps {
  readonly tool: Tool
  readonly permit: PermitAnswer | null
  /** Until something is typed, missing parameters are no fault. */
  readonly isTouched?: boolean
}

export function ToolPermit({ tool, permit, isTouched = true }: ToolPermitProps) {
  if (!permit) return null
  return (
    <section aria-label={say('Permit')}>
      <Permit
        stops={stopsBefore(permit, (refusal) => <PermitFix tool={tool.id} refusal={refusal} />).map((stop) =>
          stop.name === 'params' && stop.verdict === 'would-stop' && !isTouched
            ? { name: 'params', verdict: 'asks', sentence: say('Fill in what is required.') }
            : stop,
        )}
        fence={<FenceTable profile={permit.fence.profile} expected={permit.fence.expected} />}
      />
    </section>
  )
}
