// One process that serves the crib, with what it holds alone.
import type { FleetNode } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Ago } from '../../parts/time.tsx'
import { say } from '../../words/say.ts'

export function NodeCard({ node, isSelf }: { node: FleetNode; isSelf: boolean }) {
  return (
    <li class="card" aria-label={say('Node {name}', { name: node.name })} data-alive={node.isAlive}>
      <header>
        <h2>{node.name}</h2>
        <span class="row wrap">
          {isSelf && <Badge tone="accent">{say('this node')}</Badge>}
          <NodeState node={node} />
        </span>
      </header>
      <div class="body">
        <dl class="facts">
          <dt>{say('Requests')}</dt>
          <dd>
            <span class="node-load">
              <meter
                min={0}
                max={node.capacity}
                value={node.running}
                aria-label={say('Requests running on {name}', { name: node.name })}
              />
              {say('{n} of {all} at once', { n: node.running, all: node.capacity })}
            </span>
          </dd>
          <dt>{say('Holds alone')}</dt>
          <dd>
            {node.leases.length === 0 ? (
              <span class="muted">{say('nothing')}</span>
            ) : (
              <span class="row wrap">
                {node.leases.map((lease) => (
                  <Badge key={lease}>{lease}</Badge>
                ))}
              </span>
            )}
          </dd>
          <dt>{say('Last seen')}</dt>
          <dd>
            <Ago moment={node.seenAt} />
          </dd>
          <dt>{say('Started')}</dt>
          <dd>
            <Ago moment={node.startedAt} />
          </dd>
          <dt>{say('Version')}</dt>
          <dd>{node.version}</dd>
          {node.url && (
            <>
              <dt>{say('Serves')}</dt>
              <dd class="mono">{node.url}</dd>
            </>
          )}
          <dt>{say('Process')}</dt>
          <dd class="mono">
            {node.pid} <span class="muted">{node.node}</span>
          </dd>
        </dl>
      </div>
    </li>
  )
}

function NodeState({ node }: { node: FleetNode }) {
  if (!node.isAlive) return <Badge tone="bad">{say('silent')}</Badge>
  return node.isDraining ? (
    <Badge tone="warn">{say('leaving')}</Badge>
  ) : (
    <Badge tone="ok">{say('alive')}</Badge>
  )
}
