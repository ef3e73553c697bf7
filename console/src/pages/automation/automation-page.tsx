// What runs by itself: what started with the crib, what is scheduled, and who listens to what.
import { askJson } from '../../api/client.ts'
import type { Automation } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { usePolled } from '../../state/use-polled.ts'
import { Bootstrap } from './bootstrap.tsx'
import { Schedules } from './schedules.tsx'
import { Services } from './services.tsx'
import { Subscriptions } from './subscriptions.tsx'
import './automation.css'

export function AutomationTab() {
  const { data, error, reload } = usePolled((signal) => askJson<Automation>('/api/automation', { signal }))
  return (
    <>
      <div class="row wrap">
        {data && (
          <span class="row wrap">
            <Badge tone={data.isRunning ? 'ok' : 'warn'}>
              {data.isRunning ? 'reacting' : 'not reacting here'}
            </Badge>
            <Badge tone={data.requests.waiting > 0 ? 'info' : 'plain'}>
              {data.requests.waiting} requests waiting, {data.requests.claimed} running
            </Badge>
          </span>
        )}
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading what="automation" lines={10} />}
      {data && (
        <>
          <Bootstrap bootstrap={data.bootstrap} />
          <div class="automation-columns">
            <Services services={data.services} />
            <Schedules engine={data.schedules.engine} schedules={data.schedules.items} />
            <Subscriptions subscriptions={data.subscriptions} />
          </div>
        </>
      )}
    </>
  )
}
