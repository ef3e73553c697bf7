// The tool's own examples; each runs with one click.
import type { Example, Tool } from '../../api/types.ts'
import { Icon } from '../../parts/icon.tsx'
import { say } from '../../words/say.ts'

interface ExamplesProps {
  readonly tool: Tool
  readonly isBusy: boolean
  onUse(params: unknown): void
  onRun(example: Example): void
}

export function Examples({ tool, isBusy, onUse, onRun }: ExamplesProps) {
  if (tool.examples.length === 0) return null
  return (
    <section class="card" aria-label={say('Examples')}>
      <header>
        <h2>{say('Examples')}</h2>
      </header>
      <ul class="examples">
        {tool.examples.map((example, index) => {
          const title = example.title ?? say('Example {n}', { n: index + 1 })
          return (
            <li key={index}>
              <div class="grow">
                <strong>{title}</strong>
                <code class="example-params">{JSON.stringify(example.params)}</code>
              </div>
              <button type="button" class="button small quiet" onClick={() => onUse(example.params)}>
                {say('Fill in')}
                <span class="unseen"> {title}</span>
              </button>
              <button type="button" class="button small" disabled={isBusy} onClick={() => onRun(example)}>
                <Icon name="play" /> {say('Run')}
                <span class="unseen"> {title}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
