// The lines of a difference: side by side where there is room, what was left and what is now right; else one below the
// other.
import { useEffect, useState } from 'preact/hooks'
import { showInvisible } from './invisible.ts'
import { type LinePair, pairsOf } from './pair-lines.ts'
import type { PatchLine } from './unified-diff.ts'

/** Two columns of code need about this much. */
const wide = matchMedia('(min-width: 1200px)')

export function PatchLines({ lines, label }: { lines: readonly PatchLine[]; label: string }) {
  const [isWide, setWide] = useState(wide.matches)
  useEffect(() => {
    const onChange = () => setWide(wide.matches)
    wide.addEventListener('change', onChange)
    return () => wide.removeEventListener('change', onChange)
  }, [])
  // What is new or gone as a whole has nothing to stand beside.
  const isPaired = isWide && lines.some(({ before }) => before) && lines.some(({ after }) => after)
  return (
    <div
      class="patch-lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={label}
      data-paired={isPaired || undefined}
    >
      {isPaired
        ? pairsOf(lines).map((pair, index) => <Pair key={index} {...pair} />)
        : lines.map((line, index) => <Line key={index} line={line} />)}
    </div>
  )
}

function Line({ line }: { line: PatchLine }) {
  return (
    <div data-kind={line.kind}>
      <span class="patch-number" aria-hidden="true">
        {line.before}
      </span>
      <span class="patch-number" aria-hidden="true">
        {line.after}
      </span>
      <Text line={line} />
    </div>
  )
}

function Text({ line }: { line: PatchLine }) {
  return (
    <span class="patch-text">
      <span class="patch-sign">{{ added: '+', removed: '−', same: ' ', hunk: '' }[line.kind]}</span>
      {showInvisible(line.text)}
    </span>
  )
}

function Pair({ old, now }: LinePair) {
  if (old?.kind === 'hunk') return <Line line={old} />
  return (
    <div>
      <Half line={old} number={old?.before} />
      <Half line={now} number={now?.after} />
    </div>
  )
}

function Half({ line, number }: { line?: PatchLine; number?: number }) {
  return (
    <span class="patch-half" data-kind={line?.kind ?? 'none'}>
      <span class="patch-number" aria-hidden="true">
        {number}
      </span>
      {line && <Text line={line} />}
    </span>
  )
}
