// The filters of the catalog: what there is to choose comes from the tools themselves.
import { computed } from '@preact/signals'
import type { CatalogRow } from '../../api/types.ts'
import { ChoiceFilter } from '../../parts/choice-filter.tsx'
import { rows } from '../../state/catalog.ts'
import { setQuery } from '../../state/route.ts'
import type { Wanted } from './find-rows.ts'

const mostTags = 200

/** The values of a property over all tools, the most frequent first. */
function valuesOf(read: (row: CatalogRow) => readonly string[]) {
  return computed(() => {
    const counts = new Map<string, number>()
    for (const row of rows.value)
      for (const value of read(row)) counts.set(value, (counts.get(value) ?? 0) + 1)
    return [...counts]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, mostTags)
      .map(([value, count]) => [value, `${value} (${count})`] as const)
  })
}

const formats = valuesOf((row) => [row.format])
const tags = valuesOf((row) => row.tags)
const trusts = valuesOf((row) => [row.trust])
const capabilities = valuesOf((row) => row.requires ?? ['(not stated)'])
const states = valuesOf((row) => (row.problems ? [row.state, 'problems'] : [row.state]))

export function CatalogFilters({ wanted }: { wanted: Wanted }) {
  return (
    <>
      <ChoiceFilter
        label="Format"
        value={wanted.format}
        choices={formats.value}
        onChoose={(format) => setQuery({ format })}
      />
      <ChoiceFilter
        label="Tag"
        value={wanted.tag}
        choices={tags.value}
        onChoose={(tag) => setQuery({ tag })}
      />
      <ChoiceFilter
        label="Trust"
        value={wanted.trust}
        choices={trusts.value}
        onChoose={(trust) => setQuery({ trust })}
      />
      <ChoiceFilter
        label="Capability"
        value={wanted.capability}
        choices={capabilities.value}
        onChoose={(needs) => setQuery({ needs })}
      />
      <ChoiceFilter
        label="State"
        value={wanted.state}
        choices={states.value}
        onChoose={(state) => setQuery({ state })}
      />
      <label>
        <input
          type="checkbox"
          checked={wanted.all}
          onChange={(event) => setQuery({ all: event.currentTarget.checked ? '1' : null })}
        />
        Hidden and internal ones
      </label>
    </>
  )
}
