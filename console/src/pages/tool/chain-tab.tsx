// The way of a call, drawn: the executor chain that runs the tool, and the onion of guards round it.
import { askJson, idPath } from '../../api/client.ts'
import type { ExpectedFence, LayerRefusal, OnionLayer, ToolDescription } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { useLoaded } from '../../state/use-loaded.ts'
import { ChainPicture } from './chain-picture.tsx'
import { OnionPicture } from './onion-picture.tsx'

interface Onion {
  readonly layers: readonly OnionLayer[]
  readonly refusals: readonly LayerRefusal[]
  readonly fence: ExpectedFence
}

export function ChainTab({ description }: { description: ToolDescription }) {
  const { tool, chain } = description
  const { data, error, reload } = useLoaded(
    (signal) => askJson<Onion>(`/api/console/onion/${idPath(tool.id)}`, { signal }),
    [tool.id, tool.source.digest],
  )
  return (
    <>
      {chain.length > 1 && (
        <section class="card" aria-label="Executor chain">
          <header>
            <h2>Executor chain</h2>
            <span class="muted">who runs whom, the tool first</span>
          </header>
          <div class="body">
            <ChainPicture chain={chain} />
          </div>
        </section>
      )}
      <section class="card" aria-label="Onion">
        <header>
          <h2>Onion</h2>
          <span class="muted">what a call passes on its way in, and again on its way out</span>
        </header>
        <div class="body">
          {error && <Failure error={error} onRetry={reload} />}
          {!data && !error && <Loading what="the onion" />}
          {data && (
            <OnionPicture
              layers={data.layers}
              refusals={data.refusals}
              runtime={tool.runtime?.name ?? 'none'}
              tool={tool.id}
            />
          )}
        </div>
      </section>
    </>
  )
}
