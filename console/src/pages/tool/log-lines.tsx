// Log lines of a call, with the moment of each; while it runs the newest stays in sight.
import { useEffect, useRef } from 'preact/hooks'
import type { LogLine } from '../../api/types.ts'
import { count, say } from '../../words/say.ts'

export function LogLines({ lines, isLive = false }: { lines: readonly LogLine[]; isLive?: boolean }) {
  const box = useRef<HTMLDivElement>(null)
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
        {lines.map((line, index) => (
          <div key={index} data-level={line.level}>
            <span class="muted">{(line.atMs / 1000).toFixed(3)}</span>
            <span class="log-level">{line.level}</span>
            <span>
              {line.message}
              {line.data !== undefined && <span class="muted"> {JSON.stringify(line.data)}</span>}
            </span>
          </div>
        ))}
      </div>
    </section>
  )
}
