// Tools that run on and on, and how often they had to be started again.

import type { StartedTool } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { linkTo } from '../../state/route.ts'
import { statusTone } from './status-tone.ts'

export function Services({ services }: { services: readonly StartedTool[] }) {
  return (
    <section class="card" aria-label="Continuous tools">
      <header>
        <h2>Continuous tools</h2>
      </header>
      <div class="body">
        {services.length === 0 && <p class="muted">None is defined.</p>}
        <ul class="stack tight">
          {services.map((service) => (
            <li key={service.name} class="stack tight">
              <span class="row wrap">
                <Badge tone={statusTone(service.status)}>
                  {service.status === 'started' ? 'running' : service.status}
                </Badge>
                <a class="mono" href={linkTo('tools', service.name)}>
                  {service.name}
                </a>
                <span class="muted">
                  {service.restarts === 0 ? 'never restarted' : `restarted ${service.restarts} times`}
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
