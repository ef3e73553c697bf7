// What tools may do and which ask first, as a table; every change is shown as a difference of toolcrib.yaml before it is
// saved.
import { useState } from 'preact/hooks'
import { Segmented } from '../../parts/segmented.tsx'
import { type SettingsChange, SettingsDialog } from '../../parts/settings-dialog.tsx'
import { info } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { say } from '../../words/say.ts'

interface GrantsAnswer {
  readonly given: readonly { readonly tools: string; readonly names: readonly string[] }[]
  readonly approve: readonly string[]
}

interface Step {
  readonly title: string
  readonly change: SettingsChange
}

type Onto = (step: Step) => void

export function Grants() {
  const { data } = useQuery<GrantsAnswer>('/api/grants', ['settings', 'catalog'])
  const [step, setStep] = useState<Step | null>(null)
  return (
    <>
      <p class="muted">
        {info.value?.canEdit
          ? say('What is saved here is written to toolcrib.yaml.')
          : say('This server runs without --edit: the text to paste is shown.')}
      </p>
      <NewRule onStep={setStep} />
      {data && <Rules answer={data} onStep={setStep} />}
      {step && <SettingsDialog {...step} onClose={() => setStep(null)} />}
    </>
  )
}

/** A grant, or tools that ask first. */
function NewRule({ onStep }: { onStep: Onto }) {
  const [kind, setKind] = useState<'grant' | 'approve'>('grant')
  const [pattern, setPattern] = useState('')
  const [text, setText] = useState('')
  const names = text.split(/[\s,]+/).filter(Boolean)
  const submit = (event: Event) => {
    event.preventDefault()
    if (kind === 'grant')
      onStep({
        title: say('Grant {names} to {pattern}', { names: names.join(', '), pattern }),
        change: { list: 'grants.tools', pattern, add: names },
      })
    else
      onStep({
        title: say('Ask a person before {pattern} runs', { pattern }),
        change: { list: 'approve', add: [pattern] },
      })
  }
  return (
    <form class="card" onSubmit={submit} aria-label={say('New rule')}>
      <div class="body stack">
        <div>
          <Segmented
            label={say('New rule')}
            options={[
              ['grant', say('Grant')],
              ['approve', say('Ask first')],
            ]}
            chosen={kind}
            onChoose={setKind}
          />
        </div>
        <div class="row wrap secret-row">
          <label>
            {say('Tools, such as web/* or #deploy')}
            <input
              class="input mono"
              required
              value={pattern}
              onInput={(event) => setPattern(event.currentTarget.value)}
            />
          </label>
          {kind === 'grant' && (
            <label>
              {say('Capabilities, such as net.http:api.example.com')}
              <input
                class="input mono"
                required
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
          )}
          <button type="submit" class="button primary">
            {say('Show the difference')}
          </button>
        </div>
      </div>
    </form>
  )
}

function Rules({ answer: { given, approve }, onStep }: { answer: GrantsAnswer; onStep: Onto }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="card scroll-x stacks" tabIndex={0} role="region" aria-label={say('Grants')}>
      <table>
        <caption class="unseen">{say('Grants')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('Tools')}</th>
            <th scope="col">{say('Granted')}</th>
            <th scope="col">
              <span class="unseen">{say('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {given.map(({ tools, names }) => (
            <tr key={tools}>
              <td class="mono">{tools === '*' ? say('crib defaults') : tools}</td>
              <td class="mono" data-label={say('Granted')}>
                {names.join(' ') || say('nothing')}
              </td>
              <td>
                {names.length > 0 && tools !== '*' && (
                  <TakeAway
                    what={tools}
                    change={{ list: 'grants.tools', pattern: tools, remove: names }}
                    onStep={onStep}
                  />
                )}
              </td>
            </tr>
          ))}
          {approve.map((tools) => (
            <tr key={`approve ${tools}`}>
              <td class="mono">{tools}</td>
              <td data-label={say('Granted')}>{say('asks first')}</td>
              <td>
                <TakeAway what={tools} change={{ list: 'approve', remove: [tools] }} onStep={onStep} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TakeAway({ what, change, onStep }: { what: string; change: SettingsChange; onStep: Onto }) {
  return (
    <button
      type="button"
      class="button small danger"
      onClick={() => onStep({ title: say('Take the rule of {pattern} away', { pattern: what }), change })}
    >
      {say('Take away')}
      <span class="unseen"> {what}</span>
    </button>
  )
}
