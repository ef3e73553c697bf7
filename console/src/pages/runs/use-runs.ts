// The list of runs: its first page is read again whenever something ran, older pages are kept below it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, askJson } from '../../api/client.ts'
import type { RunSummary } from '../../api/types.ts'
import { announce } from '../../state/notices.ts'
import { useQuery } from '../../state/query.ts'

interface RunsAnswer {
  readonly runs: readonly RunSummary[]
  /** The cursor of the next page, when there is one. */
  readonly next?: string
}

export interface RunList {
  /** Null: not known yet. */
  readonly runs: readonly RunSummary[] | null
  readonly hasMore: boolean
  loadMore(): void
  readonly error: ApiError | null
  reload(): void
}

/** `path` asks for the first page. */
export function useRuns(path: string): RunList {
  const { data, error, reload } = useQuery<RunsAnswer>(path, ['runs'])
  const [list, setList] = useState<(RunsAnswer & { readonly path: string }) | null>(null)
  const isLoading = useRef(false)
  useEffect(() => {
    if (!data) return
    setList((old) => ({ path, ...(old?.path === path ? withFirstPage(old, data) : data) }))
  }, [data, path])
  const shown = list?.path === path ? list : null
  const loadMore = async () => {
    if (shown?.next === undefined || isLoading.current) return
    isLoading.current = true
    try {
      const { runs, next } = await askJson<RunsAnswer>(`${path}&cursor=${shown.next}`)
      setList((old) => (old?.path === path ? { path, runs: joined(old.runs, runs), next } : old))
    } catch (fault) {
      setList((old) => old && { ...old, next: undefined })
      announce((fault as Error).message, true)
    }
    isLoading.current = false
  }
  return { runs: shown?.runs ?? null, hasMore: shown?.next !== undefined, loadMore, error, reload }
}

/** What was read before stays below the new first page, if nothing is missing between the two. */
function withFirstPage(old: RunsAnswer, first: RunsAnswer): RunsAnswer {
  const known = new Set(old.runs.map(({ runId }) => runId))
  const meet = first.runs.some(({ runId, state }) => !state && known.has(runId))
  if (!meet || old.runs.length <= first.runs.length) return first
  const finished = old.runs.filter(({ state }) => !state)
  return { runs: joined(first.runs, finished), next: old.next }
}

function joined(runs: readonly RunSummary[], more: readonly RunSummary[]): readonly RunSummary[] {
  const known = new Set(runs.map(({ runId }) => runId))
  return [...runs, ...more.filter(({ runId }) => !known.has(runId))]
}
