// Whose signatures count.
import { askJson } from '../../api/client.ts'
import type { KeyInfo } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Words } from '../../parts/words.tsx'
import { info } from '../../state/live.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say, type Text } from '../../words/say.ts'

const modes: { readonly [mode: string]: Text } = {
  off: 'Signatures are not looked at.',
  warn: 'Unsigned tools run with a warning; tampered ones are refused.',
  require: 'Only tools signed by a trusted key run.',
}

export function Keys() {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<{ keys: KeyInfo[] }>('/api/keys', { signal }),
    [],
  )
  return (
    <>
      {info.value && (
        <p>
          {say('Trust mode')} <Badge tone="accent">{info.value.trust}</Badge>{' '}
          <span class="muted">{say(modes[info.value.trust]!)}</span>
        </p>
      )}
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading what={say('keys')} />}
      {data?.keys.length === 0 && (
        <Empty title={say('No keys')} icon="shield">
          <p>
            <Words
              text={say('Make one with `toolcrib keys new`, or trust somebody’s with `toolcrib keys trust`.')}
            />
          </p>
        </Empty>
      )}
      {data && data.keys.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div class="card scroll-x stacks" tabIndex={0} role="region" aria-label={say('Keys')}>
          <table>
            <caption class="unseen">{say('Keys')}</caption>
            <thead>
              <tr>
                <th scope="col">{say('Owner')}</th>
                <th scope="col">{say('Key')}</th>
                <th scope="col">{say('Kept in')}</th>
                <th scope="col">{say('Counts')}</th>
              </tr>
            </thead>
            <tbody>
              {data.keys.map((key) => (
                <tr key={`${key.tier} ${key.keyId}`}>
                  <td>
                    <span class="row wrap">
                      {key.owner} {key.isSigningKey && <Badge tone="info">{say('signs here')}</Badge>}
                    </span>
                  </td>
                  <td class="mono" data-label={say('Key')}>
                    {key.keyId}
                  </td>
                  <td data-label={say('Kept in')}>{key.tier}</td>
                  <td data-label={say('Counts')}>
                    <Badge tone={key.isTrusted ? 'ok' : 'warn'}>
                      {key.isTrusted ? say('trusted') : say('not trusted')}
                    </Badge>{' '}
                    {key.reason && <span class="muted">{key.reason}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
