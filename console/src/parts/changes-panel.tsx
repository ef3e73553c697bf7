// What a run did to the files, as a reviewer reads it: the difference, and the decision on it or its undo.
import { useState } from 'preact/hooks'
import { askJson, idPath } from '../api/client.ts'
import type { RunChanges } from '../api/types.ts'
import { isAdmin } from '../state/live.ts'
import { announce } from '../state/notices.ts'
import { outdate, useQuery } from '../state/query.ts'
import { count, say, sayMany, type Text } from '../words/say.ts'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'
import { PatchView } from './patch-view.tsx'

export const stateWords: { readonly [state in RunChanges['state']]: Text } = {
  committed: 'in place',
  held: 'waiting for a decision',
  discarded: 'thrown away',
  direct: 'written directly',
  none: 'no change',
}

export function ChangesPanel({ runId }: { runId: string }) {
  const path = `/api/runs/${idPath(runId)}`
  const { data, error, reload } = useQuery<RunChanges>(`${path}/changes`, ['runs', 'approvals'])
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  if (error && !data) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('the changed files')} lines={3} />
  const isHeld = data.state === 'held' && isAdmin.value
  const paths = (data.changes as readonly { path: string }[]).map((change) => change.path)
  const toggle = (file: string) => {
    const next = new Set(left)
    if (!next.delete(file)) next.add(file)
    setLeft(next)
  }
  return (
    <div class="stack">
      <p class="row wrap">
        <span>{sayMany(paths.length, '{n} file', '{n} files')}</span>
        <span class="patch-added">+{count(data.lines.added)}</span>
        <span class="patch-removed">−{count(data.lines.removed)}</span>
        <span class="muted">{say(stateWords[data.state])}</span>
        {data.undoneBy !== undefined && <span class="muted">{say('taken back')}</span>}
      </p>
      {data.reason !== undefined && <p class="muted">{data.reason}</p>}
      <PatchView
        diff={data.diff}
        paths={paths}
        asideOf={
          isHeld && paths.length > 1
            ? (file) => (
                <input
                  type="checkbox"
                  aria-label={say('Accept {file}', { file })}
                  checked={!left.has(file)}
                  onChange={() => toggle(file)}
                />
              )
            : undefined
        }
      />
      {isHeld && <Decision path={path} paths={paths} left={left} />}
      {data.state === 'committed' && data.undoneBy === undefined && isAdmin.value && <Undo path={path} />}
    </div>
  )
}

interface DecisionProps {
  readonly path: string
  readonly paths: readonly string[]
  readonly left: ReadonlySet<string>
}

function Decision({ path, paths, left }: DecisionProps) {
  const decide = async (accept: 'all' | 'none' | readonly string[], said: string) => {
    if (await act(`${path}/decide`, { accept })) announce(said)
  }
  const kept = paths.filter((each) => !left.has(each))
  return (
    <div class="row wrap">
      <button
        type="button"
        class="button primary"
        disabled={kept.length === 0}
        onClick={() => decide(left.size === 0 ? 'all' : kept, say('The changes are in place'))}
      >
        {left.size === 0 ? say('Accept all') : sayMany(kept.length, 'Accept {n} file', 'Accept {n} files')}
      </button>
      <button type="button" class="button" onClick={() => decide('none', say('The changes are thrown away'))}>
        {say('Throw away')}
      </button>
    </div>
  )
}

interface Undone {
  readonly restored: number
  readonly conflicts: readonly string[]
}

/** Files that something else changed since are named, and put back only when somebody says how. */
function Undo({ path }: { path: string }) {
  const [conflicts, setConflicts] = useState<readonly string[]>([])
  const undo = async (onConflict?: 'merge' | 'overwrite') => {
    const body = onConflict === undefined ? {} : { onConflict }
    const undone = await act<Undone>(`${path}/undo`, body)
    if (!undone) return
    setConflicts(undone.conflicts)
    if (undone.conflicts.length === 0) announce(say('The files are as before'))
  }
  if (conflicts.length > 0)
    return (
      <div class="callout stack" data-tone="warn" role="alert">
        <p>{say('Changed since by something else:')}</p>
        <ul>
          {conflicts.map((file) => (
            <li key={file} class="mono">
              {file}
            </li>
          ))}
        </ul>
        <div class="row wrap">
          <button type="button" class="button" onClick={() => undo('merge')}>
            {say('Merge')}
          </button>
          <button type="button" class="button danger" onClick={() => undo('overwrite')}>
            {say('Put back all the same')}
          </button>
        </div>
      </div>
    )
  return (
    <div>
      <button type="button" class="button" onClick={() => undo()}>
        {say('Undo')}
      </button>
    </div>
  )
}

/** Asks the server to change something; undefined, and told, where it refuses. */
async function act<T>(path: string, body: unknown): Promise<T | undefined> {
  try {
    const answer = await askJson<T>(path, { method: 'POST', body })
    outdate('runs', 'approvals', 'catalog')
    return answer
  } catch (error) {
    announce((error as Error).message, true)
    return undefined
  }
}
