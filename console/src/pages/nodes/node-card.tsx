// One process that serves the crib, with what it holds alone.
import type { FleetNode } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Ago } from '../../parts/time.tsx'

export function NodeCard({ node, isSelf }: { node: FleetNode; isSelf: boolean }) {
  return (
    <li class="card" aria-label={`Node ${node.name}`} data-alive={node.isAlive}>
      <header>
        <h2>{node.name}</h2>
        <span class="row wrap">
          {isSelf && <Badge tone="accent">this node</Badge>}
          <NodeState node={node} />
        </span>
      </header>
      <div class="body">
        <dl class="facts">
          <dt>Requests</dt>
          <dd>
            <span class="node-load">
              <meter
                min={0}
                max={node.capacity}
                value={node.running}
                aria-label={`Requests running on ${node.name}`}
              />
              {node.running} of {node.capacity} at once
            </span>
          </dd>
          <dt>Holds alone</dt>
          <dd>
            {node.leases.length === 0 ? (
              <span class="muted">nothing</span>
            ) : (
              <span class="row wrap">
                {node.leases.map((lease) => (
                  <Badge key={lease}>{lease}</Badge>
                ))}
              </span>
            )}
          </dd>
          <dt>Last seen</dt>
          <dd>
            <Ago moment={node.seenAt} />
          </dd>
          <dt>Started</dt>
          <dd>
            <Ago moment={node.startedAt} />
          </dd>
          <dt>Version</dt>
          <dd>{node.version}</dd>
          {node.url && (
            <>
              <dt>Serves</dt>
              <dd class="mono">{node.url}</dd>
            </>
          )}
          <dt>Process</dt>
          <dd class="mono">
            {node.pid} <span class="muted">{node.node}</span>
          </dd>
        </dl>
      </div>
    </li>
  )
}

function NodeState({ node }: { node: FleetNode }) {
  if (!node.isAlive) return <Badge tone="bad">silent</Badge>
  return node.isDraining ? <Badge tone="warn">leaving</Badge> : <Badge tone="ok">alive</Badge>
}
