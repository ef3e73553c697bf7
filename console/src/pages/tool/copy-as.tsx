// Offers the call as text: command line, curl, MCP, TypeScript.
import { useState } from 'preact/hooks'
import type { Tool } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { say } from '../../words/say.ts'
import { callTexts } from './call-texts.ts'

export function CopyAs({ tool, params }: { tool: Tool; params: unknown }) {
  const [isOpen, setOpen] = useState(false)
  const [key, setKey] = useState('cli')
  const text = callTexts.find((each) => each.key === key)!.text(tool, params, location.origin)
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        <Icon name="copy" /> {say('Copy as')}
      </button>
      {isOpen && (
        <Dialog title={say('This call in other words')} onClose={() => setOpen(false)}>
          <Tabs label={say('Form')} tabs={callTexts} chosen={key} onChoose={setKey}>
            <pre
              class="code-block wrap copy-text"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
              tabIndex={0}
              role="region"
              aria-label={say('Text of the call')}
            >
              {text}
            </pre>
            <div class="row spread">
              <span class="muted">{key === 'curl' ? say('The token is not part of it.') : ''}</span>
              <CopyButton label={say('call')} text={text}>
                {say('Copy')}
              </CopyButton>
            </div>
          </Tabs>
        </Dialog>
      )}
    </>
  )
}
