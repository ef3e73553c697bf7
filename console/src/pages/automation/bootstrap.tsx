// The order in which tools start with the crib, drawn, with what became of each.

import type { Automation, StartedTool } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Graph } from '../../parts/graph.tsx'
import { duration, localTime } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { statusTone } from './status-tone.ts'

export function Bootstrap({ bootstrap }: { bootstrap: Automation['bootstrap'] }) {
  const { report } = bootstrap
  return (
    <section class="card" aria-label="Bootstrap">
      <header>
        <h2>Bootstrap</h2>
        {!bootstrap.isEnabled && <Badge tone="warn">off on this server</Badge>}
        {report && (
          <span class="muted">
            {localTime(report.started_at)} on {report.node}
          </span>
        )}
      </header>
      <div class="body stack">
        {!report || report.tools.length === 0 ? (
          <Empty title="Nothing starts with the crib" icon="automation">
            <p>
              A tool with <code>bootstrap</code> in its definition starts when the crib does.
            </p>
          </Empty>
        ) : (
          <>
            <Graph
              label="Order of the start"
              nodes={sorted(report.tools, report.order).map((tool, index) => ({
                id: tool.name,
                label: `${index + 1}. ${tool.name}`,
                sub: `${tool.status}, ${tool.mode}, priority ${tool.priority}`,
                tone: statusTone(tool.status),
                href: linkTo('tools', tool.name),
              }))}
              edges={report.tools.flatMap((tool) => tool.wait_for.map((from) => ({ from, to: tool.name })))}
            />
            <ul class="stack tight">
              {sorted(report.tools, report.order).map((tool) => (
                <li key={tool.name} class="row wrap">
                  <Badge tone={statusTone(tool.status)}>{tool.status}</Badge>
                  <a class="mono" href={linkTo('tools', tool.name)}>
                    {tool.name}
                  </a>
                  <span class="muted">
                    {tool.mode}, {duration(tool.duration_ms)}
                    {tool.wait_for.length > 0 && `, waits for ${tool.wait_for.join(', ')}`}
                  </span>
                  {tool.reason && <span>{tool.reason}</span>}
                </li>
              ))}
            </ul>
          </>
        )}
        {report?.cycles.map((cycle) => (
          <div key={cycle.join()} class="callout" data-tone="bad">
            {cycle.join(', ')} wait for each other: none of them starts.
          </div>
        ))}
      </div>
    </section>
  )
}

/** In the order of the start; what never started comes last. */
function sorted(tools: readonly StartedTool[], order: readonly string[]): StartedTool[] {
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return [...tools].sort((a, b) => place(a.name) - place(b.name))
}
