// Who may use this server: the tokens by name, with what each may do. The tokens themselves are kept nowhere.
import { askJson } from '../../api/client.ts'
import type { TokenInfo } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { localTime } from '../../parts/time.tsx'
import { useLoaded } from '../../state/use-loaded.ts'

export function Tokens() {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<{ tokens: TokenInfo[] }>('/api/tokens', { signal }),
    [],
  )
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what="tokens" />
  if (data.tokens.length === 0)
    return (
      <Empty title="Only the crib's own token" icon="shield">
        <p>
          Give others a token of their own with <code>toolcrib tokens new</code>, with fewer rights.
        </p>
      </Empty>
    )
  return (
    <div class="card scroll-x">
      <table>
        <caption class="unseen">Tokens</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Rights</th>
            <th scope="col">Tools</th>
            <th scope="col">Made</th>
            <th scope="col">Ends</th>
          </tr>
        </thead>
        <tbody>
          {data.tokens.map((token) => (
            <tr key={token.name}>
              <td class="mono">{token.name}</td>
              <td>
                <span class="row wrap">
                  {token.admin && <Badge tone="accent">admin</Badge>}
                  {token.grants?.map((grant) => <Badge key={grant}>{grant}</Badge>) ?? (
                    <span class="muted">as the crib grants</span>
                  )}
                </span>
              </td>
              <td>{token.allowedTools ?? token.offer ?? <span class="muted">all</span>}</td>
              <td>{token.createdAt ? localTime(token.createdAt) : <span class="muted">configured</span>}</td>
              <td>{token.expiresAt ? localTime(token.expiresAt) : <span class="muted">never</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
