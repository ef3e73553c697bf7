// What the list can be narrowed by, as chips that say how many tools each would leave.
import { useState } from 'preact/hooks'
import { setQuery } from '../../state/route.ts'
import { count, say, sayKnown, type Text } from '../../words/say.ts'
import { type FacetName, type Found, facetNames, type Wanted } from './find-rows.ts'

const fewChips = 8
const mostChips = 200
/** Shown at once; the others unfold. */
const firstFacets: readonly FacetName[] = ['state', 'format']

const labels: { readonly [name in FacetName]: Text } = {
  state: 'Deviations',
  format: 'Format',
  needs: 'Capability',
  tag: 'Tag',
  trust: 'Trust',
}

interface CatalogFiltersProps {
  readonly wanted: Wanted
  readonly facets: Found['facets']
}

export function CatalogFilters({ wanted, facets }: CatalogFiltersProps) {
  const [isOpen, setOpen] = useState(false)
  const shown = facetNames.filter(
    (name) => (isOpen || firstFacets.includes(name) || wanted[name] !== '') && facets[name].length > 0,
  )
  return (
    <div class="facets">
      {shown.map((name) => (
        <Facet key={name} name={name} chosen={wanted[name]} values={facets[name]} />
      ))}
      <div class="row wrap">
        <button
          type="button"
          class="button small quiet"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? say('Fewer filters') : say('More filters')}
        </button>
        <label class="row">
          <input
            type="checkbox"
            checked={wanted.all}
            onChange={(event) => setQuery({ all: event.currentTarget.checked ? '1' : null })}
          />
          {say('Show internal')}
        </label>
      </div>
    </div>
  )
}

interface FacetProps {
  readonly name: FacetName
  readonly chosen: string
  readonly values: readonly (readonly [value: string, count: number])[]
}

function Facet({ name, chosen, values }: FacetProps) {
  const [most, setMost] = useState(fewChips)
  const first = values.slice(0, most)
  // What is chosen is always there to be taken back.
  const extra = values.find(([value]) => value === chosen)
  const shown = extra && !first.includes(extra) ? [...first, extra] : first
  return (
    <div class="facet" role="group" aria-label={say(labels[name])}>
      <span class="facet-name muted" aria-hidden="true">
        {say(labels[name])}
      </span>
      {shown.map(([value, tools]) => (
        <button
          key={value}
          type="button"
          class="filter-chip"
          aria-pressed={value === chosen}
          onClick={() => setQuery({ [name]: value === chosen ? null : value })}
        >
          {name === 'state' ? sayKnown(value) : value} <span class="chip-count">{count(tools)}</span>
        </button>
      ))}
      {values.length > shown.length && (
        <button type="button" class="filter-chip more" onClick={() => setMost(mostChips)}>
          {say('{n} more', { n: Math.min(mostChips, values.length) - shown.length })}
        </button>
      )}
    </div>
  )
}
