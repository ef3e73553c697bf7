// The order in which tools start with the crib, drawn, with what became of each.

import type { Automation, StartedTool } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Graph } from '../../parts/graph.tsx'
import { duration, localTime } from '../../parts/time.tsx'
import { Words } from '../../parts/words.tsx'
import { linkTo } from '../../state/route.ts'
import { say, sayKnown } from '../../words/say.ts'
import { statusTone } from './status-tone.ts'

export function Bootstrap({ bootstrap }: { bootstrap: Automation['bootstrap'] }) {
  const { report } = bootstrap
  return (
    <section class="card" aria-label={say('Bootstrap')}>
      <header>
        <h2>{say('Bootstrap')}</h2>
        {!bootstrap.isEnabled && <Badge tone="warn">{say('off on this server')}</Badge>}
        {report && (
          <span class="muted">
            {say('{time} on {node}', { time: localTime(report.started_at), node: report.node })}
          </span>
        )}
      </header>
      <div class="body stack">
        {!report || report.tools.length === 0 ? (
          <Empty title={say('Nothing starts with the crib')} icon="automation">
            <p>
              <Words text={say('A tool with `bootstrap` in its definition starts when the crib does.')} />
            </p>
          </Empty>
        ) : (
          <>
            <Graph
              label={say('Order of the start')}
              nodes={sorted(report.tools, report.order).map((tool, index) => ({
                id: tool.name,
                label: `${index + 1}. ${tool.name}`,
                sub: `${sayKnown(tool.status)}, ${tool.mode}, ${say('priority {n}', { n: tool.priority })}`,
                tone: statusTone(tool.status),
                href: linkTo('tools', tool.name),
              }))}
              edges={report.tools.flatMap((tool) => tool.wait_for.map((from) => ({ from, to: tool.name })))}
            />
            <ul class="stack tight">
              {sorted(report.tools, report.order).map((tool) => (
                <li key={tool.name} class="row wrap">
                  <Badge tone={statusTone(tool.status)}>{sayKnown(tool.status)}</Badge>
                  <a class="mono" href={linkTo('tools', tool.name)}>
                    {tool.name}
                  </a>
                  <span class="muted">
                    {tool.mode}, {duration(tool.duration_ms)}
                    {tool.wait_for.length > 0 &&
                      `, ${say('waits for {names}', { names: tool.wait_for.join(', ') })}`}
                  </span>
                  {tool.reason && <span>{tool.reason}</span>}
                </li>
              ))}
            </ul>
          </>
        )}
        {report?.cycles.map((cycle) => (
          <div key={cycle.join()} class="callout" data-tone="bad">
            {say('{names} wait for each other: none of them starts.', { names: cycle.join(', ') })}
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
