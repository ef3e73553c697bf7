// Connects both ways: clients that use these tools, and servers whose tools come in.
import { useState } from 'preact/hooks'
import type { RunStats, TokenInfo } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Ago } from '../../parts/time.tsx'
import { useQuery } from '../../state/query.ts'
import { route, setQuery } from '../../state/route.ts'
import { count, say } from '../../words/say.ts'
import { AddServer } from './add-server.tsx'
import { type Client, ClientCard } from './client-card.tsx'
import './connect.css'

export function ConnectPage() {
  const { data, error, reload } = useQuery<{ url: string; clients: readonly Client[] }>('/api/connect')
  const [isAdding, setAdding] = useState(route.value.query.has('add'))
  const chosen = data?.clients.find(({ name }) => name === route.value.query.get('client'))
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Connect')}</Heading>
        <p>{say('Choose the program that is to use these tools.')}</p>
        <span class="grow" />
        <button type="button" class="button" onClick={() => setAdding(true)}>
          <Icon name="plus" /> {say('Add a server')}
        </button>
      </div>
      {isAdding && (
        <AddServer
          onClose={() => {
            setAdding(false)
            setQuery({ add: null })
          }}
        />
      )}
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
