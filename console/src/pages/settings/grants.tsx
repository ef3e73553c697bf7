// Giving tools more than the defaults: the difference of toolcrib.yaml is shown before it is saved.
import { useState } from 'preact/hooks'
import { GrantDialog } from '../../parts/grant-dialog.tsx'
import { info } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { say } from '../../words/say.ts'

export function Grants() {
  const [pattern, setPattern] = useState('')
  const [names, setNames] = useState('')
  const [isOpen, setOpen] = useState(false)
  const list = names.split(/[\s,]+/).filter(Boolean)
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        setOpen(true)
      }}
    >
      <p class="muted">
        {info.value?.canEdit
          ? say('What is saved here is written to toolcrib.yaml.')
          : say('This server runs without --edit: the text to paste is shown.')}
      </p>
      <label class="stack tight">
        <span>{say('Tools, such as web/* or #deploy')}</span>
        <input
          class="input mono"
          required
          value={pattern}
          onInput={(event) => setPattern(event.currentTarget.value)}
        />
      </label>
      <label class="stack tight">
        <span>{say('Capabilities, such as net.http:api.example.com')}</span>
        <input
          class="input mono"
          required
          value={names}
          onInput={(event) => setNames(event.currentTarget.value)}
        />
      </label>
      <div>
        <button type="submit" class="button primary">
          {say('Show the difference')}
        </button>
      </div>
      <Given />
      {isOpen && <GrantDialog pattern={pattern} names={list} onClose={() => setOpen(false)} />}
    </form>
  )
}

interface GrantsAnswer {
  readonly given: readonly { readonly tools: string; readonly names: readonly string[] }[]
  readonly approve: readonly string[]
}

/** What is given now, and which tools ask first. */
function Given() {
  const { data } = useQuery<GrantsAnswer>('/api/grants', ['settings', 'catalog'])
  if (!data) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="card scroll-x" tabIndex={0} role="region" aria-label={say('Grants')}>
      <table>
        <caption class="unseen">{say('Grants')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('Tools')}</th>
            <th scope="col">{say('Granted')}</th>
          </tr>
        </thead>
        <tbody>
          {data.given.map(({ tools, names }) => (
            <tr key={tools}>
              <td class="mono">{tools === '*' ? say('crib defaults') : tools}</td>
              <td class="mono">{names.join(' ') || say('nothing')}</td>
            </tr>
          ))}
          {data.approve.map((tools) => (
            <tr key={`approve ${tools}`}>
              <td class="mono">{tools}</td>
              <td>{say('asks first')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
