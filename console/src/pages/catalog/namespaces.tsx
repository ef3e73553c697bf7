// The tree at the side of the list: namespaces of ids and foreign servers, each with how many tools it holds.
import type { CatalogRow } from '../../api/types.ts'
import { setQuery } from '../../state/route.ts'
import { count, say } from '../../words/say.ts'

export interface Namespace {
  /** What ids in it begin with. */
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly tools: number
}

const maxDepth = 2

/** Where a tool hangs in the tree, outermost first: parts of its id, or the server it comes from. */
export function pathsOf(
  row: Pick<CatalogRow, 'id' | 'format' | 'kind'>,
  servers: readonly string[],
): string[] {
  if (row.kind === 'server') return [row.id]
  const server = servers.find((name) => row.format === 'mcp' && row.id.startsWith(`${name}-`))
  if (server !== undefined) return [server]
  const parts = row.id.split('/').slice(0, -1).slice(0, maxDepth)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

export function serverNames(rows: readonly CatalogRow[]): string[] {
  return rows.flatMap(({ kind, id }) => (kind === 'server' ? [id] : []))
}

export function namespacesOf(rows: readonly CatalogRow[], servers: readonly string[]): Namespace[] {
  const counts = new Map<string, number>()
  for (const row of rows)
    for (const path of pathsOf(row, servers)) counts.set(path, (counts.get(path) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, tools]) => {
      const parts = path.split('/')
      return { path, name: parts.at(-1)!, depth: parts.length - 1, tools }
    })
}

interface NamespacesProps {
  readonly all: readonly Namespace[]
  readonly chosen: string
}

export function Namespaces({ all, chosen }: NamespacesProps) {
  if (all.length < 2) return null
  const isOpen = ({ path, depth }: Namespace) =>
    depth === 0 || chosen === path.split('/')[0] || chosen.startsWith(`${path.split('/')[0]}/`)
  return (
    <nav class="namespaces" aria-label={say('Namespaces')}>
      <ul class="plain">
        <li>
          <button type="button" aria-pressed={chosen === ''} onClick={() => setQuery({ in: null })}>
            {say('All tools')}
          </button>
        </li>
        {all.filter(isOpen).map(({ path, name, depth, tools }) => (
          <li key={path}>
            <button
              type="button"
              data-depth={depth}
              aria-pressed={chosen === path}
              onClick={() => setQuery({ in: chosen === path ? null : path })}
            >
              <span class="mono grow cut">{name}</span> <span class="muted">{count(tools)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
