// Who may use this server: the tokens by name, with what each may do. The tokens themselves are kept nowhere.
import { ask, askJson, problemOf } from '../../api/client.ts'
import type { TokenInfo } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import { NewToken } from './new-token.tsx'

export function Tokens() {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<{ tokens: TokenInfo[] }>('/api/tokens', { signal }),
    [],
  )
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('tokens')} />
  const revoke = async ({ name }: TokenInfo) => {
    if (!confirm(say('Take the token {name} away? It stops working at once.', { name }))) return
    const answer = await ask(`/api/tokens/${encodeURIComponent(name)}`, { method: 'DELETE' })
    if (answer.ok) {
      announce(say('{name} taken away', { name }))
      reload()
    } else announce((await problemOf(answer)).message, true)
  }
  return (
    <>
      <NewToken onMade={reload} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="card scroll-x stacks" tabIndex={0} role="region" aria-label={say('Tokens')}>
        <table>
          <caption class="unseen">{say('Tokens')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('Name')}</th>
              <th scope="col">{say('Rights')}</th>
              <th scope="col">{say('Tools')}</th>
              <th scope="col">{say('Made')}</th>
              <th scope="col">{say('Ends')}</th>
              <th scope="col">
                <span class="unseen">{say('Actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.tokens.map((token) => (
              <tr key={token.name}>
                <td class="mono">{token.name}</td>
                <td data-label={say('Rights')}>
                  <span class="row wrap">
                    {token.admin && <Badge tone="accent">{say('admin')}</Badge>}
                    {token.grants?.map((grant) => <Badge key={grant}>{grant}</Badge>) ?? (
                      <span class="muted">{say('as the crib grants')}</span>
                    )}
                  </span>
                </td>
                <td data-label={say('Tools')}>
                  {token.allowedTools ?? token.offer ?? <span class="muted">{say('all')}</span>}
                </td>
                <td data-label={say('Made')}>
                  {token.createdAt ? (
                    <Moment moment={token.createdAt} />
                  ) : (
                    <span class="muted">{say('configured')}</span>
                  )}
                </td>
                <td data-label={say('Ends')}>
                  {token.expiresAt ? (
                    <Moment moment={token.expiresAt} />
                  ) : (
                    <span class="muted">{say('never')}</span>
                  )}
                </td>
                <td>
                  {token.from === 'store' && (
                    <button type="button" class="button small danger" onClick={() => revoke(token)}>
                      {say('Take away')}
                      <span class="unseen"> {token.name}</span>
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
