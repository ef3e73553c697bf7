// What a new token may do: tools chosen from the tree or written as patterns, grants, and when it ends.
import type { CatalogRow } from '../../api/types.ts'
import { rows } from '../../state/catalog.ts'
import { count, say } from '../../words/say.ts'

export interface TokenRights {
  /** Patterns, parted by spaces. */
  readonly tools: string
  /** Capabilities, parted by spaces. */
  readonly grants: string
  readonly days: string
}

const lifetimes = [
  ['', 'never'],
  ['1', 'in a day'],
  ['30', 'in 30 days'],
] as const

const mostGroups = 60

/** What the server is asked for. */
export function tokenRights({ tools, grants, days }: TokenRights, nowMs: number): object {
  return {
    ...(tools.trim() ? { allowedTools: tools.trim() } : {}),
    ...(grants.trim() ? { grants: wordsIn(grants) } : {}),
    ...(days ? { expiresAt: new Date(nowMs + Number(days) * 86_400_000).toISOString() } : {}),
  }
}

interface NarrowTokenProps {
  readonly rights: TokenRights
  onChange(rights: TokenRights): void
}

export function NarrowToken({ rights, onChange }: NarrowTokenProps) {
  const patterns = wordsIn(rights.tools)
  const toggle = (pattern: string) =>
    onChange({
      ...rights,
      tools: (patterns.includes(pattern)
        ? patterns.filter((each) => each !== pattern)
        : [...patterns, pattern]
      ).join(' '),
    })
  return (
    <details>
      <summary>{say('Narrow what it may do')}</summary>
      <div class="stack narrow">
        <ul class="row wrap plain" aria-label={say('Tools')}>
          {groupsOf(rows.value).map(([pattern, tools]) => (
            <li key={pattern}>
              <button
                type="button"
                class="filter-chip mono"
                aria-pressed={patterns.includes(pattern)}
                onClick={() => toggle(pattern)}
              >
                {pattern} <span class="muted">{count(tools)}</span>
              </button>
            </li>
          ))}
        </ul>
        <div class="row wrap">
          <label class="stack tight grow">
            <span>{say('Tools it may call, such as text/* math/add; empty: all')}</span>
            <input
              class="input mono"
              value={rights.tools}
              onInput={(event) => onChange({ ...rights, tools: event.currentTarget.value })}
            />
          </label>
          <label class="stack tight grow">
            <span>{say('Grants it is bound to, such as fs.read; empty: those of the tools')}</span>
            <input
              class="input mono"
              value={rights.grants}
              onInput={(event) => onChange({ ...rights, grants: event.currentTarget.value })}
            />
          </label>
          <label class="stack tight">
            <span>{say('Ends')}</span>
            <select
              class="input"
              value={rights.days}
              onChange={(event) => onChange({ ...rights, days: event.currentTarget.value })}
            >
              {lifetimes.map(([value, words]) => (
                <option key={value} value={value}>
                  {say(words)}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
    </details>
  )
}

/** Namespaces as patterns, and tools that stand in none, with how many tools each is. */
function groupsOf(all: readonly CatalogRow[]): [pattern: string, tools: number][] {
  const counts = new Map<string, number>()
  for (const { id, listed } of all) {
    if (!listed) continue
    const at = id.indexOf('/')
    const pattern = at < 0 ? id : `${id.slice(0, at)}/**`
    counts.set(pattern, (counts.get(pattern) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, mostGroups)
}

function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
