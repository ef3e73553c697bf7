// What was called here before, to be filled in again.
import { inputsOf } from '../../state/inputs.ts'
import { say } from '../../words/say.ts'

export function InputHistory({ tool, onUse }: { tool: string; onUse(params: unknown): void }) {
  const inputs = inputsOf(tool)
  if (inputs.length === 0) return null
  return (
    <section class="card" aria-label={say('My inputs')}>
      <header>
        <h2>{say('My inputs')}</h2>
      </header>
      <ul class="examples">
        {inputs.map((params, index) => (
          <li key={index}>
            <code class="example-params grow">{JSON.stringify(params)}</code>
            <button type="button" class="button small quiet" onClick={() => onUse(params)}>
              {say('Fill in')}
              <span class="unseen"> {index + 1}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
