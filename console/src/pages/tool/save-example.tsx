// A call that went well as an example of the tool: the text to put into its file.
import { useState } from 'preact/hooks'
import type { Tool } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { say } from '../../words/say.ts'

interface SaveExampleProps {
  readonly tool: Tool
  readonly params: unknown
  readonly result: unknown
}

const longest = 20_000

export function SaveExample({ tool, params, result }: SaveExampleProps) {
  const [isOpen, setOpen] = useState(false)
  const text = JSON.stringify({ title: say('from the console'), params, expect: result }, null, 2)
  if (text.length > longest) return null
  return (
    <div>
      <button type="button" class="button small quiet" onClick={() => setOpen(true)}>
        {say('Save as example…')}
      </button>
      {isOpen && (
        <Dialog title={say('An example of {tool}', { tool: tool.id })} onClose={() => setOpen(false)}>
          <div class="stack">
            <p class="muted">
              {say('Add it to the examples in {file}.', { file: tool.source.file ?? tool.id })}
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
            <pre class="code-block wrap" tabIndex={0} role="region" aria-label={say('Example')}>
              {text}
            </pre>
            <div>
              <CopyButton label={say('example')} text={text}>
                {say('Copy')}
              </CopyButton>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  )
}
