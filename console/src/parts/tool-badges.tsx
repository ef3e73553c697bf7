// What is to be known about a tool at a glance: who vouches for it, what holds it, whether it can run.
import type { CatalogRow, Enforcement } from '../api/types.ts'
import { say, sayKnown } from '../words/say.ts'
import { Badge, type Tone } from './badge.tsx'

const trustTones: Record<string, Tone> = {
  trusted: 'ok',
  untrusted: 'warn',
  unsigned: 'plain',
  unchecked: 'plain',
  tampered: 'bad',
  invalid: 'bad',
}

export function TrustBadge({ status }: { status: string }) {
  return (
    <Badge
      tone={trustTones[status] ?? 'plain'}
      icon="shield"
      title={say('Signature: {status}', { status: sayKnown(status) })}
    >
      {sayKnown(status)}
    </Badge>
  )
}

const stateTones: Record<string, Tone> = {
  invalid: 'bad',
  quarantined: 'bad',
  unavailable: 'warn',
  disabled: 'plain',
  shadowed: 'plain',
}

/** Nothing for a tool that is simply there. */
export function StateBadge({ state, reason }: Pick<CatalogRow, 'state' | 'reason'>) {
  if (state === 'available') return null
  return (
    <Badge tone={stateTones[state] ?? 'plain'} icon="alert" {...(reason ? { title: reason } : {})}>
      {sayKnown(state)}
    </Badge>
  )
}

/** The honest label of one run, in one word; the dimensions are in its title. */
export function EnforcementBadge({ enforcement }: { enforcement: Enforcement }) {
  const dimensions = Object.entries(enforcement.dimensions)
  if (dimensions.length === 0) return <Badge title={say('Ran inside the crib')}>{say('in process')}</Badge>
  const labels = dimensions.map(([, label]) => label)
  const weakest = labels.includes('advisory')
    ? 'advisory'
    : labels.includes('partial')
      ? 'partial'
      : 'enforced'
  const held = labels.filter((label) => label === 'enforced').length
  const title = dimensions.map(([name, label]) => `${sayKnown(name)}: ${sayKnown(label)}`).join('\n')
  return (
    <Badge
      tone={weakest === 'enforced' ? 'ok' : weakest === 'partial' ? 'info' : 'warn'}
      icon="fence"
      title={title}
    >
      {say('{n} of {all} enforced', { n: held, all: labels.length })}
    </Badge>
  )
}
