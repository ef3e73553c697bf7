// Which tool reacts to which crumbs, and how far behind it is.

import type { SubscriptionStatus } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { duration } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { say, sayMany } from '../../words/say.ts'

export function Subscriptions({ subscriptions }: { subscriptions: readonly SubscriptionStatus[] }) {
  return (
    <section class="card" aria-label={say('Subscriptions')}>
      <header>
        <h2>{say('Subscriptions')}</h2>
      </header>
      <div class="body">
        {subscriptions.length === 0 && <p class="muted">{say('No tool listens to events.')}</p>}
        <ul class="stack">
          {subscriptions.map((subscription) => (
            <li key={subscription.tool} class="stack tight">
              <span class="row wrap">
                <a class="mono" href={linkTo('tools', subscription.tool)}>
                  {subscription.tool}
                </a>
                {subscription.isRunning && <Badge tone="info">{say('running')}</Badge>}
                {!subscription.isHere && <Badge>{say('on another server')}</Badge>}
                {subscription.lag > 0 ? (
                  <Badge tone="warn">
                    {say('{n} waiting, {time}', { n: subscription.lag, time: duration(subscription.lagMs) })}
                  </Badge>
                ) : (
                  <Badge tone="ok">{say('up to date')}</Badge>
                )}
                {subscription.skipped > 0 && <Badge>{say('{n} expired', { n: subscription.skipped })}</Badge>}
              </span>
              <ul>
                {subscription.on.map((on, index) => (
                  <li key={index} class="muted">
                    {say('on')}{' '}
                    <a href={linkTo('events', '', { schema: on.schema_name })}>{on.schema_name}</a>
                    {on.tag && ` ${say('tagged {tag}', { tag: on.tag })}`}
                    {on.context_match &&
                      on.context_match.length > 0 &&
                      ` ${sayMany(on.context_match.length, 'with {n} condition', 'with {n} conditions')}`}
                    {on.description && `: ${on.description}`}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
