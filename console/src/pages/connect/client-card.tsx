// One client: its block with a token made on the spot, a link that installs it where the client has one, then its
// first call.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { Ago } from '../../parts/time.tsx'
import { finished } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
import { say } from '../../words/say.ts'
import { installLink } from './install-link.ts'
import { NarrowToken, type TokenRights, tokenRights } from './narrow-token.tsx'

interface Block {
  readonly block: string
  readonly file: string
}

export interface Client {
  readonly name: string
  readonly title: string
  readonly stdio: Block
  readonly http?: Block
}

export function ClientCard({ client }: { client: Client }) {
  const [way, setWay] = useState<'http' | 'stdio'>(client.http ? 'http' : 'stdio')
  const [rights, setRights] = useState<TokenRights>({ tools: '', grants: '', days: '' })
  const [made, setMade] = useState<{ name: string; token: string } | null>(null)
  const given = way === 'http' ? client.http! : client.stdio
  const text = made ? given.block.replaceAll('<token>', made.token) : given.block
  const link = way === 'stdio' || made ? installLink(client.name, text) : undefined
  const make = async () => {
    try {
      const name = `${client.name}-${Date.now().toString(36)}`
      const body = { name, ...tokenRights(rights, Date.now()) }
      const answer = await askJson<{ name: string; token: string }>('/api/tokens', { method: 'POST', body })
      setMade(answer)
      outdate('settings')
      await navigator.clipboard?.writeText(given.block.replaceAll('<token>', answer.token)).catch(() => {})
      announce(say('Token made; the block is copied.'))
    } catch (error) {
      announce((error as Error).message, true)
    }
  }
  return (
    <section class="card" aria-label={client.title}>
      <header>
        <h2>{client.title}</h2>
        {client.http && (
          <Segmented
            label={say('How it reaches the crib')}
            options={[
              ['http', say('This server')],
              ['stdio', say('Starts its own')],
            ]}
            chosen={way}
            onChoose={setWay}
          />
        )}
      </header>
      <div class="body stack">
        {way === 'http' && !made && (
          <>
            <NarrowToken rights={rights} onChange={setRights} />
            <div>
              <button type="button" class="button primary" onClick={make}>
                {say('Make a token and copy the block')}
              </button>
            </div>
          </>
        )}
        <p class="muted">{say('For {file}', { file: given.file })}</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <pre class="code-block wrap" tabIndex={0} role="region" aria-label={say('Block')}>
          {text}
        </pre>
        <div class="row wrap spread">
          {made ? <Waiting name={made.name} /> : <span />}
          <span class="row">
            {link !== undefined && (
              <a class="button small" href={link}>
                {say('Install in {client}', { client: client.title })}
              </a>
            )}
            <CopyButton label={say('block')} text={text}>
              {say('Copy')}
            </CopyButton>
          </span>
        </div>
        {made && <p class="warn-text">{say('The token is shown this once.')}</p>}
      </div>
    </section>
  )
}

/** Until the client has called. */
function Waiting({ name }: { name: string }) {
  const seen = finished.value.find((run) => run.caller === name)
  return (
    <p role="status" class="row">
      {seen ? (
        <>
          <span class="dot" data-state="ok" aria-hidden="true" />
          {say('Seen from {name}', { name })} <Ago moment={seen.startedAt} />
        </>
      ) : (
        <>
          <span class="spinner" aria-hidden="true" /> {say('Waiting for the first call…')}
        </>
      )}
    </p>
  )
}
