// Gives a client its block, with a token made on the spot, and waits for its first call.
import { useState } from 'preact/hooks'
import { askJson } from '../../api/client.ts'
import type { RunStats, TokenInfo } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { Ago } from '../../parts/time.tsx'
import { finished } from '../../state/live.ts'
import { announce } from '../../state/notices.ts'
import { outdate, useQuery } from '../../state/query.ts'
import { route, setQuery } from '../../state/route.ts'
import { count, say } from '../../words/say.ts'
import './connect.css'

interface Block {
  readonly block: string
  readonly file: string
}

interface Client {
  readonly name: string
  readonly title: string
  readonly stdio: Block
  readonly http?: Block
}

export function ConnectPage() {
  const { data, error, reload } = useQuery<{ url: string; clients: readonly Client[] }>('/api/connect')
  const chosen = data?.clients.find(({ name }) => name === route.value.query.get('client'))
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Connect')}</Heading>
        <p>{say('Choose the program that is to use these tools.')}</p>
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading what={say('the clients')} />}
      {data && (
        <>
          <ul class="clients" aria-label={say('Clients')}>
            {data.clients.map((client) => (
              <li key={client.name}>
                <button
                  type="button"
                  aria-pressed={client === chosen}
                  onClick={() => setQuery({ client: client.name })}
                >
                  <span class="client-mark" aria-hidden="true">
                    {client.title.slice(0, 1)}
                  </span>
                  {client.title}
                </button>
              </li>
            ))}
          </ul>
          {chosen && <ClientCard key={chosen.name} client={chosen} />}
          <Connected />
        </>
      )}
    </div>
  )
}

const lifetimes = [
  ['', 'never'],
  ['1', 'in a day'],
  ['30', 'in 30 days'],
] as const

function ClientCard({ client }: { client: Client }) {
  const [way, setWay] = useState<'http' | 'stdio'>(client.http ? 'http' : 'stdio')
  const [allowed, setAllowed] = useState('')
  const [days, setDays] = useState('')
  const [made, setMade] = useState<{ name: string; token: string } | null>(null)
  const given = way === 'http' ? client.http! : client.stdio
  const text = made ? given.block.replaceAll('<token>', made.token) : given.block
  const make = async () => {
    try {
      const name = `${client.name}-${Date.now().toString(36)}`
      const answer = await askJson<{ name: string; token: string }>('/api/tokens', {
        method: 'POST',
        body: {
          name,
          ...(allowed.trim() ? { allowedTools: allowed.trim() } : {}),
          ...(days ? { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() } : {}),
        },
      })
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
            <details>
              <summary>{say('Narrow what it may do')}</summary>
              <div class="row wrap narrow">
                <label class="stack tight grow">
                  <span>{say('Tools it may call, such as text/* math/add; empty: all')}</span>
                  <input
                    class="input mono"
                    value={allowed}
                    onInput={(event) => setAllowed(event.currentTarget.value)}
                  />
                </label>
                <label class="stack tight">
                  <span>{say('Ends')}</span>
                  <select class="input" value={days} onChange={(event) => setDays(event.currentTarget.value)}>
                    {lifetimes.map(([value, words]) => (
                      <option key={value} value={value}>
                        {say(words)}
                      </option>
                    ))}
                  </select>
                </label>
              </div>
            </details>
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
          <CopyButton label={say('block')} text={text}>
            {say('Copy')}
          </CopyButton>
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

function Connected() {
  const { data: tokens } = useQuery<{ tokens: readonly TokenInfo[] }>('/api/tokens', ['settings'])
  const { data: stats } = useQuery<RunStats>('/api/stats?by=caller', ['runs'])
  const seen = new Map((stats?.groups ?? []).map((group) => [group.key, group]))
  return (
    <section aria-label={say('Who may call')}>
      <h2 class="section-title">{say('Who may call')}</h2>
      <ul class="lines">
        {tokens?.tokens.map((token) => (
          <li key={token.name} class="line">
            <span class="mono grow">{token.name}</span>
            {token.admin && <span class="muted">{say('admin')}</span>}
            {token.offer !== undefined && <code class="chip">{token.offer}</code>}
            {token.allowedTools !== undefined && <code class="chip">{token.allowedTools}</code>}
            <span class="muted nowrap">
              {seen.has(token.name) ? (
                <>
                  {say('{n} calls in 24 h, last', { n: count(seen.get(token.name)!.count) })}{' '}
                  <Ago moment={seen.get(token.name)!.lastAt} />
                </>
              ) : (
                say('no call in 24 h')
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
