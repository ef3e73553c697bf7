// One step of a thread in detail.
import type { Thread } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { duration, Moment, money } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { count, say, sayKnown, type Text } from '../../words/say.ts'
import { LogLines } from '../tool/log-lines.tsx'
import { AgainButton } from './again-button.tsx'

export function ThreadNode({ node, thread }: { node: Thread['nodes'][number]; thread: string }) {
  const isRun = node.kind === 'run'
  const facts: readonly (readonly [Text, string | undefined])[] = [
    ['Schema', node.schema],
    ['Version', node.version === undefined ? undefined : String(node.version)],
    ['Took', node.ms === undefined ? undefined : duration(node.ms)],
    ['Caller', node.caller && `${node.caller}${node.surface ? ` (${node.surface})` : ''}`],
    ['Model', node.model],
    ['Tokens', node.tokens && `${count(node.tokens.input)} → ${count(node.tokens.output)}`],
    ['Cost', node.cost && money(node.cost)],
    ['Attempts', node.attempts === undefined ? undefined : String(node.attempts)],
    ['Approval', node.allowed],
    [
      'File changes',
      node.effects &&
        say('{state}, {n} files', { state: sayKnown(node.effects.state), n: node.effects.files }),
    ],
  ]
  return (
    <aside class="thread-detail stack" aria-label={say('Details')}>
      <h2 class={isRun ? 'mono' : undefined}>{node.title}</h2>
      {node.errorCode && (
        <p class="callout" data-tone="bad">
          <strong>{node.errorCode}</strong> <LongText text={node.message ?? ''} />
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
        <AgainButton node={node} />
        <CopyButton
          label={say('link')}
          text={() => new URL(linkTo('threads', thread, { node: node.id }), location.href).href}
        >
          {say('Copy the link')}
        </CopyButton>
      </div>
      {node.logs.length > 0 && <LogLines lines={node.logs} isLive={node.state === 'running'} />}
    </aside>
  )
}
