// The honest label of a run: what was held, dimension by dimension, and by which layers.
import type { Enforcement } from '../../api/types.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { say, sayKnown } from '../../words/say.ts'

const tones: Record<string, Tone> = { enforced: 'ok', partial: 'info', advisory: 'warn' }

export function EnforcementTable({ enforcement }: { enforcement: Enforcement }) {
  const dimensions = Object.entries(enforcement.dimensions)
  return (
    <section class="card" aria-label={say('Enforcement')}>
      <header>
        <h2>{say('Enforcement')}</h2>
      </header>
      <div class="body stack tight">
        {dimensions.length === 0 ? (
          <p class="muted">{say('Ran inside the crib or did not start: there was no process to hold.')}</p>
        ) : (
          <dl class="facts">
            {dimensions.map(([name, label]) => (
              <Dimension key={name} name={name} label={label} />
            ))}
          </dl>
        )}
        {enforcement.layers.length > 0 && (
          <p class="muted">{say('Layers: {names}', { names: enforcement.layers.join(', ') })}</p>
        )}
      </div>
    </section>
  )
}

function Dimension({ name, label }: { name: string; label: string }) {
  return (
    <>
      <dt>{sayKnown(name)}</dt>
      <dd>
        <Badge tone={tones[label] ?? 'plain'}>{sayKnown(label)}</Badge>
      </dd>
    </>
  )
}
