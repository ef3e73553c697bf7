// The versions of a crumb, and what changed from one to another.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { CrumbVersion } from '../../api/types.ts'
import { DiffView } from '../../parts/diff-view.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Ago } from '../../parts/time.tsx'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'

export function History({ id, version }: { id: string; version: number }) {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<CrumbVersion[]>(`/breadcrumbs/${id}/history`, { signal }),
    [id, version],
  )
  const [picked, setPicked] = useState<number | null>(null)
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('the history')} />
  const shown = data.find((each) => each.version === picked) ?? data[0]!
  const before = data[data.indexOf(shown) + 1]
  return (
    <div class="crumb-history">
      <ol class="card version-list" aria-label={say('Versions')}>
        {data.map((each) => (
          <li key={each.version}>
            <button type="button" aria-pressed={each === shown} onClick={() => setPicked(each.version)}>
              <strong>{say('Version {n}', { n: each.version })}</strong>
              <span class="muted">
                <Ago moment={each.updated_at} /> {say('by {name}', { name: each.updated_by })}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <section class="card" aria-label={say('What changed')}>
        <header>
          <h2>
            {before
              ? say('Version {a} to {b}', { a: before.version, b: shown.version })
              : say('Version {n}, the first known', { n: shown.version })}
          </h2>
        </header>
        <div class="body">
          <DiffView
            label={say('Difference')}
            before={before ? writtenPart(before) : ''}
            after={writtenPart(shown)}
          />
        </div>
      </section>
    </div>
  )
}

function writtenPart({ title, tags, context }: CrumbVersion) {
  return { title, tags, context }
}
