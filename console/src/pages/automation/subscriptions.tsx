// Which tool reacts to which crumbs, and how far behind it is.

import type { SubscriptionStatus } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { duration } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'

export function Subscriptions({ subscriptions }: { subscriptions: readonly SubscriptionStatus[] }) {
  return (
    <section class="card" aria-label="Subscriptions">
      <header>
        <h2>Subscriptions</h2>
      </header>
      <div class="body">
        {subscriptions.length === 0 && <p class="muted">No tool listens to crumbs.</p>}
        <ul class="stack">
          {subscriptions.map((subscription) => (
            <li key={subscription.tool} class="stack tight">
              <span class="row wrap">
                <a class="mono" href={linkTo('tools', subscription.tool)}>
                  {subscription.tool}
                </a>
                {subscription.isRunning && <Badge tone="info">running</Badge>}
                {!subscription.isHere && <Badge>on another server</Badge>}
                {subscription.lag > 0 ? (
                  <Badge tone="warn">
                    {subscription.lag} waiting, {duration(subscription.lagMs)}
                  </Badge>
                ) : (
                  <Badge tone="ok">up to date</Badge>
                )}
                {subscription.skipped > 0 && <Badge>{subscription.skipped} expired</Badge>}
              </span>
              <ul>
                {subscription.on.map((on, index) => (
                  <li key={index} class="muted">
                    on <a href={linkTo('events', '', { schema: on.schema_name })}>{on.schema_name}</a>
                    {on.tag && ` tagged ${on.tag}`}
                    {on.context_match &&
                      on.context_match.length > 0 &&
                      ` with ${on.context_match.length} conditions`}
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
