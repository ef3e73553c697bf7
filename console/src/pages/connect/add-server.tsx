// Adds MCP servers: paste, test in the fence, choose their tools, see the file, write. Where the server may not write,
// it shows the text to paste.
import { useState } from 'preact/hooks'
import { type ApiError, askJson } from '../../api/client.ts'
import type { TriedServer } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DiffView } from '../../parts/diff-view.tsx'
import { info } from '../../state/live.ts'
import { linkTo } from '../../state/route.ts'
import { say, sayMany } from '../../words/say.ts'
import { type Chosen, everyTool, TriedServers } from './tried-servers.tsx'

interface Preview {
  readonly servers: readonly string[]
  readonly file: string
  readonly before: string
  readonly after: string
  readonly digest: string
}

interface Added {
  readonly tools: readonly string[]
  readonly notes: readonly string[]
}

type Step =
  | { readonly at: 'paste' }
  | { readonly at: 'tried'; readonly servers: readonly TriedServer[]; readonly preview: Preview }
  | { readonly at: 'shown'; readonly preview: Preview }
  | { readonly at: 'added'; readonly added: Added }

export function AddServer({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [step, setStep] = useState<Step>({ at: 'paste' })
  const [chosen, setChosen] = useState<Chosen>({})
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<ApiError | null>(null)
  const canEdit = info.value?.canEdit === true
  const doing = async (work: () => Promise<void>) => {
    setBusy(true)
    setFault(null)
    await work().catch((error: ApiError) => setFault(error))
    setBusy(false)
  }
  const post = <T,>(path: string, more = {}) => askJson<T>(path, { method: 'POST', body: { text, ...more } })
  const look = () =>
    doing(async () => {
      const preview = await post<Preview>('/api/servers/preview')
      if (!canEdit) return setStep({ at: 'shown', preview })
      const { servers } = await post<{ servers: TriedServer[] }>('/api/servers/test')
      setChosen(everyTool(servers))
      setStep({ at: 'tried', servers, preview })
    })
  const add = (digest: string) =>
    doing(async () => setStep({ at: 'added', added: await post<Added>('/api/servers', { chosen, digest }) }))
  const tools = Object.values(chosen).reduce((sum, names) => sum + names.length, 0)
  return (
    <Dialog title={say('Add a server')} onClose={onClose}>
      <div class="stack add-server">
        {step.at === 'paste' && (
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault()
              void look()
            }}
          >
            <label class="stack tight">
              <span>{say('A command, an address or an mcpServers block')}</span>
              <textarea
                class="input mono"
                rows={6}
                spellcheck={false}
                value={text}
                placeholder={'npx -y @modelcontextprotocol/server-memory'}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
            <p class="muted">
              {canEdit
                ? say('The test starts it behind the fence and lists its tools; nothing is written yet.')
                : say('This server may not write files: you get the text to paste.')}
            </p>
            <div class="row">
              <button type="submit" class="button primary" disabled={isBusy || text.trim() === ''}>
                {isBusy && <span class="spinner" aria-hidden="true" />}
                {isBusy ? say('Testing…') : canEdit ? say('Test') : say('Show what to paste')}
              </button>
            </div>
          </form>
        )}
        {step.at === 'shown' && <ToPaste preview={step.preview} text={text} />}
        {step.at === 'tried' && (
          <>
            <TriedServers servers={step.servers} chosen={chosen} onChoose={setChosen} />
            <details>
              <summary>{say('Difference of {field}', { field: '.mcp.json' })}</summary>
              <DiffView
                label={say('Difference of {field}', { field: '.mcp.json' })}
                before={step.preview.before}
                after={step.preview.after}
              />
            </details>
            <div class="row">
              <button
                type="button"
                class="button primary"
                disabled={isBusy || tools === 0}
                onClick={() => add(step.preview.digest)}
              >
                {isBusy && <span class="spinner" aria-hidden="true" />}
                {sayMany(tools, 'Pin and add {n} tool', 'Pin and add {n} tools')}
              </button>
              <button type="button" class="button" onClick={() => setStep({ at: 'paste' })}>
                {say('Back')}
              </button>
            </div>
          </>
        )}
        {step.at === 'added' && <Done added={step.added} onClose={onClose} />}
        {fault && (
          <div role="alert" class="callout" data-tone="bad">
            <p>{fault.message}</p>
            {fault.hint && <p class="muted">{fault.hint}</p>}
          </div>
        )}
      </div>
    </Dialog>
  )
}

function ToPaste({ preview, text }: { preview: Preview; text: string }) {
  const command = /^https?:\/\//.test(text.trim())
    ? `toolcrib add ${text.trim()}`
    : 'toolcrib add --from claude-code'
  return (
    <>
      <DiffView
        label={say('Difference of {field}', { field: '.mcp.json' })}
        before={preview.before}
        after={preview.after}
      />
      <p>
        {say('Save it as {file}, then test and pin with', { file: '.mcp.json' })} <code>{command}</code>
      </p>
      <div class="row">
        <CopyButton label=".mcp.json" text={preview.after}>
          {say('Copy the new .mcp.json')}
        </CopyButton>
      </div>
    </>
  )
}

function Done({ added, onClose }: { added: Added; onClose(): void }) {
  return (
    <>
      <p role="status">
        {sayMany(added.tools.length, '{n} tool is pinned and ready.', '{n} tools are pinned and ready.')}
      </p>
      {added.tools.length > 0 && (
        <ul class="lines">
          {added.tools.slice(0, 12).map((id) => (
            <li key={id} class="line">
              <a class="mono cut" href={linkTo('tools', id)} onClick={onClose}>
                {id}
              </a>
            </li>
          ))}
        </ul>
      )}
      {added.notes.length > 0 && (
        <ul class="muted stack tight">
          {added.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  )
}
