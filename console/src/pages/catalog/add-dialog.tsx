// The ways in: what people have, and the command that makes tools of it.
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { info } from '../../state/live.ts'
import { linkTo } from '../../state/route.ts'
import { say, type Text } from '../../words/say.ts'

const doors: readonly (readonly [what: Text, command: string])[] = [
  ['A script or a program', 'toolcrib add ./report.py'],
  ['The MCP servers of a client', 'toolcrib add --from claude-code'],
  ['One MCP server by its command', 'toolcrib add files -- npx -y @modelcontextprotocol/server-filesystem .'],
  ['One MCP server by its address', 'toolcrib add https://example.com/mcp'],
  ['An API with an OpenAPI document', 'toolcrib add petstore.yaml'],
  ['A folder of skills or a plugin', 'toolcrib add ../skills'],
  ['A new tool from nothing', 'toolcrib new skill hello'],
]

export function AddDialog({ onClose }: { onClose(): void }) {
  const root = info.value?.root
  return (
    <Dialog title={say('Add tools')} onClose={onClose}>
      <div class="stack">
        <p>
          {root === undefined
            ? say('Run one of these in the folder of the crib.')
            : say('Run one of these in {folder}.', { folder: root })}{' '}
          {say('Each shows what it would write and asks first.')}
        </p>
        <p>
          <a class="button" href={linkTo('connect', '', { add: '1' })} onClick={onClose}>
            {say('Add a server')}
          </a>
        </p>
        <dl class="stack">
          {doors.map(([what, command]) => (
            <div key={command} class="stack tight">
              <dt>{say(what)}</dt>
              <dd class="row">
                <code class="grow code-block">{command}</code>
                <CopyButton label={say('command')} text={command} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  )
}
