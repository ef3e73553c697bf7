// One step of a thread in detail.
import type { Thread } from '../../api/types.ts'
import { duration, Moment } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { count, say, type Text } from '../../words/say.ts'
import { LogLines } from '../tool/log-lines.tsx'

export function ThreadNode({ node }: { node: Thread['nodes'][number] }) {
  const isRun = node.kind === 'run'
  const facts: readonly (readonly [Text, string | undefined])[] = [
    ['Schema', node.schema],
    ['Version', node.version === undefined ? undefined : String(node.version)],
    ['Took', node.ms === undefined ? undefined : duration(node.ms)],
    ['Caller', node.caller && `${node.caller}${node.surface ? ` (${node.surface})` : ''}`],
    ['Model', node.model],
    ['Tokens', node.tokens && `${count(node.tokens.input)} → ${count(node.tokens.output)}`],
    ['Cost', node.cost && `${node.cost.amount} ${node.cost.currency}`],
    ['Attempts', node.attempts === undefined ? undefined : String(node.attempts)],
  ]
  return (
    <aside class="thread-detail stack" aria-label={say('Details')}>
      <h2 class={isRun ? 'mono' : undefined}>{node.title}</h2>
      {node.errorCode && (
        <p class="callout" data-tone="bad">
          <strong>{node.errorCode}</strong> {node.message}
        </p>
      )}
      <dl class="facts">
        <dt>{say('State')}</dt>
        <dd>{say(node.state)}</dd>
        <dt>{say('At')}</dt>
        <dd>
          <Moment moment={node.at} />
        </dd>
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <>
              <dt>{say(name)}</dt>
              <dd>{value}</dd>
            </>
          ),
        )}
      </dl>
      <div class="row wrap">
        {node.runId !== undefined && (
          <a class="button" href={linkTo('runs', node.runId)}>
            {say('Open the run')}
          </a>
        )}
        {isRun && (
          <a class="button" href={linkTo('tools', node.title)}>
            {say('Open the tool')}
          </a>
        )}
        {node.crumb !== undefined && (
          <a class="button" href={linkTo('events', node.crumb)}>
            {say('Open the event')}
          </a>
        )}
      </div>
      {node.logs.length > 0 && <LogLines lines={node.logs} isLive={node.state === 'running'} />}
    </aside>
  )
}
