// The processes that serve this crib: which there are, how busy they are, and what only one of them does.
import type { FleetReport } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Words } from '../../parts/words.tsx'
import { type Topic, useQuery } from '../../state/query.ts'
import { say, sayMany } from '../../words/say.ts'
import { NodeCard } from './node-card.tsx'
import './nodes.css'

const storeNames = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** What makes the report of the nodes old. */
export const nodeTopics: readonly Topic[] = ['runs', 'events', 'settings', 'nodes']

export function NodesTab() {
  const { data, error, reload } = useQuery<FleetReport>('/api/nodes', nodeTopics)
  return (
    <>
      {data && <Queue queue={data.queue} />}
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading what={say('nodes')} lines={8} />}
      {data && (
        <>
          {data.nodes.length === 0 && (
            <Empty title={say('No node reacts')} icon="nodes">
              <p>
                {say('This server answers calls and leaves requests, schedules and subscriptions alone.')}
              </p>
            </Empty>
          )}
          {isAlone(data) && (
            <div class="callout" data-tone="info">
              <strong>{say('One node, this one.')}</strong>
              <span>
                <Words
                  text={say(
                    'Servers that share `store: postgres://…` appear here beside it and divide the work.',
                  )}
                />
              </span>
            </div>
          )}
          <ul class="node-cards" aria-label={say('Nodes')}>
            {data.nodes.map((node) => (
              <NodeCard key={node.node} node={node} isSelf={node.node === data.self} />
            ))}
          </ul>
          <p class="muted">
            {say('Store: {store}. Work is handed out by {bus}.', {
              store: storeNames[data.store],
              bus: data.bus === 'nats' ? 'NATS JetStream' : say('the store itself'),
            })}
          </p>
        </>
      )}
    </>
  )
}

function isAlone({ nodes, self }: FleetReport): boolean {
  return nodes.length === 1 && nodes[0]!.node === self
}

function Queue({ queue }: Pick<FleetReport, 'queue'>) {
  return (
    <span class="row wrap">
      <Badge tone={queue.depth > 0 ? 'info' : 'plain'}>
        {say('{waiting} requests waiting, {claimed} running', {
          waiting: queue.depth,
          claimed: queue.inFlight,
        })}
      </Badge>
      {queue.redeliveries > 0 && (
        <Badge tone="warn">{say('{n} redelivered', { n: queue.redeliveries })}</Badge>
      )}
      {queue.deadLetters > 0 && (
        <Badge tone="bad">{sayMany(queue.deadLetters, '{n} dead letter', '{n} dead letters')}</Badge>
      )}
    </span>
  )
}
