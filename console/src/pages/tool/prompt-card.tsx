// A skill that is a prompt: the model that reads it, the tools it may call, and its text with what the form holds.
import type { Permit } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { showInvisible } from '../../parts/invisible.ts'
import { say } from '../../words/say.ts'

export function PromptCard({ prompt }: { prompt: NonNullable<Permit['prompt']> }) {
  return (
    <section class="card" aria-label={say('Prompt')}>
      <header>
        <h2>{say('Prompt')}</h2>
        <CopyButton label={say('Prompt')} text={prompt.text} />
      </header>
      <div class="body stack">
        <dl class="facts">
          <dt>{say('Model')}</dt>
          <dd>{prompt.model ?? <span class="muted">{say('none is set up')}</span>}</dd>
          <dt>{say('Allowed tools')}</dt>
          <dd class="mono">{prompt.allowedTools ?? say('what the caller may call')}</dd>
        </dl>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <pre class="code-block wrap" tabIndex={0} role="region" aria-label={say('Text of the prompt')}>
          {showInvisible(prompt.text)}
        </pre>
      </div>
    </section>
  )
}
