// What runs by itself: what started with the crib, what runs on, and who listens to what.
import { Badge } from '../../parts/badge.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { say } from '../../words/say.ts'
import { Bootstrap } from './bootstrap.tsx'
import { Services } from './services.tsx'
import { Subscriptions } from './subscriptions.tsx'
import { useAutomation } from './use-automation.ts'
import './automation.css'

export function StartTab() {
  const { data, error, reload } = useAutomation()
  if (error && !data) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('what started')} lines={10} />
  const { waiting, claimed } = data.requests
  return (
    <>
      <p class="row wrap">
        {!data.isRunning && <Badge tone="warn">{say('not reacting here')}</Badge>}
        <span class="muted">
          {say('{waiting} requests waiting, {claimed} running', { waiting, claimed })}
        </span>
      </p>
      <Bootstrap bootstrap={data.bootstrap} />
      <div class="automation-columns">
        <Services services={data.services} />
        <Subscriptions subscriptions={data.subscriptions} />
      </div>
    </>
  )
}
