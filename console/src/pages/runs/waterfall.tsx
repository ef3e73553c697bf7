// The time of a run, guard by guard: a bar for the whole stay in each, and how much of it was its own.
import type { Span } from '../../api/types.ts'
import { layoutSpans } from '../../parts/layout-spans.ts'
import { duration } from '../../parts/time.tsx'
import { say } from '../../words/say.ts'

export function Waterfall({ spans, totalMs }: { spans: readonly Span[]; totalMs: number }) {
  const rows = layoutSpans(spans)
  if (rows.length === 0)
    return <p class="muted">{say('No guard and no runtime took a tenth of a millisecond.')}</p>
  const whole = Math.max(totalMs, ...rows.map((row) => row.endMs), 0.001)
  const part = (ms: number) => `${(ms / whole) * 100}%`
  return (
    <table class="waterfall">
      <caption class="unseen">{say('Time spent in every guard and in the runtime')}</caption>
      <thead>
        <tr>
          <th scope="col">{say('Where')}</th>
          <th scope="col">
            <span class="row spread">
              <span>0</span>
              <span>{duration(whole)}</span>
            </span>
          </th>
          <th scope="col" class="number">
            {say('Own')}
          </th>
          <th scope="col" class="number">
            {say('With inner')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index} data-runtime={row.name === 'execute' || undefined}>
            <th scope="row" style={{ paddingLeft: `${0.75 + Math.min(row.depth, 10) * 0.6}rem` }}>
              {row.name === 'execute' ? say('execute (runtime)') : row.name}
            </th>
            <td>
              <span
                class="bar-track"
                title={say('{a} to {b}', { a: duration(row.startMs), b: duration(row.endMs) })}
              >
                <span class="bar" style={{ left: part(row.startMs), width: part(row.endMs - row.startMs) }} />
                <span class="bar own" style={{ left: part(row.startMs), width: part(row.ownMs) }} />
              </span>
            </td>
            <td class="number nowrap">{duration(row.ownMs)}</td>
            <td class="number nowrap">{duration(row.endMs - row.startMs)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
