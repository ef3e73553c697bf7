// Differences of files as a reviewer reads them: a head per file with what was added and removed, then its lines.
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { count, say } from '../words/say.ts'
import { showInvisible } from './invisible.ts'
import { PatchLines } from './patch-lines.tsx'
import { type FileDiff, readDiff } from './unified-diff.ts'

const mostLines = 300
const foldedAfter = 12

interface PatchViewProps {
  readonly diff: string
  /** All files that changed: a long difference leaves some out. */
  readonly paths?: readonly string[]
  /** Beside the name of a file: a box to accept it, a badge. */
  asideOf?(path: string): ComponentChildren
}

export function PatchView({ diff, paths, asideOf }: PatchViewProps) {
  const files = useMemo(() => withAll(readDiff(diff), paths ?? []), [diff, paths])
  return (
    <div class="patch stack tight">
      {files.map((file, index) => (
        <FilePatch key={file.path} file={file} isOpen={index < foldedAfter} aside={asideOf?.(file.path)} />
      ))}
    </div>
  )
}

function withAll(shown: readonly FileDiff[], paths: readonly string[]): FileDiff[] {
  const known = new Set(shown.map(({ path }) => path))
  const rest = paths.filter((path) => !known.has(path))
  return [
    ...shown,
    ...rest.map((path) => ({ path, notes: [say('not shown here')], lines: [], added: 0, removed: 0 })),
  ]
}

function FilePatch({ file, isOpen, aside }: { file: FileDiff; isOpen: boolean; aside?: ComponentChildren }) {
  const [most, setMost] = useState(mostLines)
  const lines = file.lines.slice(0, most)
  return (
    <div class="patch-file">
      {aside && <span class="patch-aside">{aside}</span>}
      <details open={isOpen}>
        <summary>
          <span class="mono grow cut">{showInvisible(file.path)}</span>
          {file.added > 0 && <span class="patch-added">+{count(file.added)}</span>}
          {file.removed > 0 && <span class="patch-removed">−{count(file.removed)}</span>}
        </summary>
        {file.notes.length > 0 && <p class="patch-notes muted">{file.notes.join(' · ')}</p>}
        {lines.length > 0 && (
          <PatchLines lines={lines} label={say('Difference of {field}', { field: file.path })} />
        )}
        {file.lines.length > most && (
          <button type="button" class="button small" onClick={() => setMost(most + 2_000)}>
            {say('{n} more lines', { n: file.lines.length - most })}
          </button>
        )}
      </details>
    </div>
  )
}
