// Log lines of a call, with the moment of each; while it runs the newest stays in sight.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { LogLine } from '../../api/types.ts'
import { LongText } from '../../parts/long-text.tsx'
import { seconds } from '../../parts/time.tsx'
import { count, say, sayMany } from '../../words/say.ts'

/** A long log shows its beginning and its end: what lies between costs thousands of elements. */
const mostHead = 20
const mostTail = 150

export function LogLines({ lines, isLive = false }: { lines: readonly LogLine[]; isLive?: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const [isAll, setAll] = useState(false)
  const hidden = isAll ? 0 : Math.max(0, lines.length - mostHead - mostTail)
  const shown = lines.slice(0, hidden > 0 ? mostHead : undefined)
  const rest = hidden > 0 ? lines.slice(-mostTail) : []
  useEffect(() => {
    if (isLive && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines.length, isLive])
  return (
    <section>
      <h3>
        {say('Log')} <span class="muted">{count(lines.length)}</span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="log" ref={box} role="log" aria-label={say('Log')} tabIndex={0} aria-live="off">
        {shown.map((line, index) => (
          <Line key={index} line={line} />
        ))}
        {hidden > 0 && (
          <button type="button" class="button small quiet" onClick={() => setAll(true)}>
            {sayMany(hidden, '{n} more line', '{n} more lines')}
          </button>
        )}
        {rest.map((line, index) => (
          <Line key={shown.length + hidden + index} line={line} />
        ))}
      </div>
    </section>
  )
}

function Line({ line }: { line: LogLine }) {
  return (
    <div data-level={line.level}>
      <span class="muted">{seconds(line.atMs)}</span>
      <span class="log-level">{line.level}</span>
      <span>
        <LongText text={line.message} />
        {line.data !== undefined && (
          <span class="muted">
            {' '}
            <LongText text={JSON.stringify(line.data)} />
          </span>
        )}
      </span>
    </div>
  )
}
