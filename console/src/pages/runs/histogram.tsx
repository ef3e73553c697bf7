// Runs over time, the failed ones in front; a stretch of it can be chosen by dragging, or a step by its button.
import { useRef, useState } from 'preact/hooks'
import type { RunStats } from '../../api/types.ts'
import { clockTime, dayAndClock, dayOf, utc } from '../../parts/time.tsx'
import { setQuery } from '../../state/route.ts'
import { dayMs, type Range, seriesOf } from '../../state/stats.ts'
import { say } from '../../words/say.ts'

interface HistogramProps {
  readonly range: Range
  readonly stats: RunStats
  readonly since: string | null
  readonly until: string | null
}

const height = 72
/** Where the axis says what time it is; on a narrow screen every other one. */
const marks = [0, 0.25, 0.5, 0.75, 1]

export function Histogram({ range, stats, since, until }: HistogramProps) {
  const all = seriesOf(range, stats.buckets, ({ count }) => count)
  const failed = seriesOf(range, stats.buckets, ({ failed: bad }) => bad)
  const most = Math.max(1, ...all)
  const lengthMs = Date.parse(range.until) - Date.parse(range.since)
  const box = useRef<SVGSVGElement>(null)
  const [drag, setDrag] = useState<readonly [number, number] | null>(null)
  const stepAt = (event: PointerEvent) => {
    const { left, width } = box.current!.getBoundingClientRect()
    return Math.max(0, Math.min(all.length - 1, Math.floor(((event.clientX - left) / width) * all.length)))
  }
  const timeOf = (step: number) =>
    new Date(Date.parse(range.since) + step * range.bucket * 1000).toISOString()
  const choose = () => {
    if (!drag) return
    const [from, to] = [Math.min(...drag), Math.max(...drag) + 1]
    setDrag(null)
    setQuery({ since: timeOf(from), until: timeOf(to) })
  }
  const marked = drag
    ? ([Math.min(...drag), Math.max(...drag) + 1] as const)
    : since && until
      ? ([stepOf(since, range), stepOf(until, range)] as const)
      : null
  return (
    <figure class="histogram">
      <svg
        ref={box}
        viewBox={`0 0 ${all.length} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={say('{n} runs over time, {failed} failed', {
          n: stats.total.count,
          failed: stats.total.failed,
        })}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrag([stepAt(event), stepAt(event)])
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], stepAt(event)])}
        onPointerUp={choose}
      >
        {marked && (
          <rect
            class="brush"
            x={marked[0]}
            width={Math.max(0, marked[1] - marked[0])}
            y="0"
            height={height}
          />
        )}
        {all.map((value, step) => {
          const tall = (value / most) * (height - 4)
          const bad = (failed[step]! / most) * (height - 4)
          return (
            value > 0 && (
              <g key={step}>
                <rect class="bar-all" x={step + 0.1} width="0.8" y={height - tall} height={tall} />
                <rect class="bar-bad" x={step + 0.1} width="0.8" y={height - bad} height={bad} />
              </g>
            )
          )
        })}
      </svg>
      <figcaption class="row spread muted">
        {marks.map((part) => (
          <Mark key={part} moment={timeOf(part * all.length)} lengthMs={lengthMs} />
        ))}
      </figcaption>
      {since && (
        <button type="button" class="button small" onClick={() => setQuery({ since: null, until: null })}>
          {say('Whole time')}
        </button>
      )}
    </figure>
  )
}

/** A place on the axis; a day says more than an hour where there are many days. */
function Mark({ moment, lengthMs }: { moment: string; lengthMs: number }) {
  const words = lengthMs > dayMs ? dayOf : lengthMs === dayMs ? dayAndClock : clockTime
  return (
    <time dateTime={moment} title={utc(moment)}>
      {words(moment)}
    </time>
  )
}

function stepOf(moment: string, range: Range): number {
  return (Date.parse(moment) - Date.parse(range.since)) / (range.bucket * 1000)
}
