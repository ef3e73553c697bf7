// Tools that run on and on, and how often they had to be started again.

import type { StartedTool } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { linkTo } from '../../state/route.ts'
import { say, sayKnown, sayMany } from '../../words/say.ts'
import { statusTone } from './status-tone.ts'

export function Services({ services }: { services: readonly StartedTool[] }) {
  return (
    <section class="card" aria-label={say('Continuous tools')}>
      <header>
        <h2>{say('Continuous tools')}</h2>
      </header>
      <div class="body">
        {services.length === 0 && <p class="muted">{say('None is defined.')}</p>}
        <ul class="stack tight">
          {services.map((service) => (
            <li key={service.name} class="stack tight">
              <span class="row wrap">
                <Badge tone={statusTone(service.status)}>
                  {service.status === 'started' ? say('running') : sayKnown(service.status)}
                </Badge>
                <a class="mono" href={linkTo('tools', service.name)}>
                  {service.name}
                </a>
                <span class="muted">
                  {service.restarts === 0
                    ? say('never restarted')
                    : sayMany(service.restarts, 'restarted {n} time', 'restarted {n} times')}
                </span>
              </span>
              {service.reason && <span class="muted">{service.reason}</span>}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
