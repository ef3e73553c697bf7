// Secrets by name and use. A value goes in and never comes out again here.
import { useState } from 'preact/hooks'
import { type ApiError, ask, askJson, problemOf } from '../../api/client.ts'
import type { SecretInfo } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Ago } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { linkTo } from '../../state/route.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { say, sayKnown, sayMany } from '../../words/say.ts'
import { NewSecret } from './new-secret.tsx'
import { NewValue } from './new-value.tsx'

/** GET /api/console/secret-use: which tools name which secret. */
type SecretUse = { readonly [name: string]: readonly string[] }

export function Secrets() {
  const { data, error, reload } = useLoaded(
    (signal) =>
      Promise.all([
        askJson<SecretInfo[]>('/secrets', { signal }),
        askJson<SecretUse>('/api/console/secret-use', { signal }),
      ]),
    [],
  )
  const [fault, setFault] = useState<ApiError | null>(null)
  /** The missing one that is to be stored next. */
  const [picked, setPicked] = useState<string | null>(null)
  const remove = async (secret: SecretInfo) => {
    if (!confirm(say('Delete the secret {name}?', { name: secret.name }))) return
    const answer = await ask(`/secrets/${secret.id}`, { method: 'DELETE' })
    if (!answer.ok) setFault(await problemOf(answer))
    else {
      announce(say('{name} deleted', { name: secret.name }))
      reload()
    }
  }
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('secrets')} />
  const [secrets, use] = data
  const missing = Object.keys(use).filter((name) => !secrets.some((secret) => secret.name === name))
  const wanted = picked !== null && missing.includes(picked) ? picked : (missing[0] ?? '')
  return (
    <>
      {fault && <Failure error={fault} />}
      {missing.length > 0 && (
        <div class="callout" data-tone="warn">
          <strong>
            {sayMany(
              missing.length,
              '{n} secret is named by tools and not stored:',
              '{n} secrets are named by tools and not stored:',
            )}
          </strong>
          <ul>
            {missing.map((name) => (
              <li key={name}>
                <button
                  type="button"
                  class="chip mono"
                  aria-pressed={name === wanted}
                  onClick={() => setPicked(name)}
                >
                  {name}
                </button>{' '}
                {say('for {names}', { names: use[name]!.join(', ') })}
              </li>
            ))}
          </ul>
        </div>
      )}
      <NewSecret key={wanted} suggested={wanted} onSaved={reload} />
      {secrets.length === 0 ? (
        <Empty title={say('No secrets stored')} icon="shield">
          <p>
            {say(
              'A secret is given only to the tools that name it, and is taken out of their logs and results.',
            )}
          </p>
        </Empty>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div class="card scroll-x stacks" tabIndex={0} role="region" aria-label={say('Secrets')}>
          <table>
            <caption class="unseen">{say('Secrets')}</caption>
            <thead>
              <tr>
                <th scope="col">{say('Name')}</th>
                <th scope="col">{say('Scope')}</th>
                <th scope="col">{say('Used by')}</th>
                <th scope="col">{say('Last used')}</th>
                <th scope="col">{say('Changed')}</th>
                <th scope="col">
                  <span class="unseen">{say('Actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {secrets.map((secret) => (
                <tr key={secret.id}>
                  <td class="mono">{secret.name}</td>
                  <td data-label={say('Scope')}>
                    {sayKnown(secret.scope_type)} {secret.scope_id}
                  </td>
                  <td data-label={say('Used by')}>
                    {(use[secret.name] ?? []).map((tool, index) => (
                      <span key={tool}>
                        {index > 0 && ', '}
                        <a href={linkTo('tools', tool)}>{tool}</a>
                      </span>
                    ))}
                    {!use[secret.name] && <span class="muted">{say('no tool names it')}</span>}
                  </td>
                  <td data-label={say('Last used')}>
                    {secret.last_used_at === undefined ? (
                      <span class="muted">{say('not seen')}</span>
                    ) : (
                      <Ago moment={secret.last_used_at} />
                    )}
                  </td>
                  <td data-label={say('Changed')}>
                    <Ago moment={secret.updated_at} />
                  </td>
                  <td>
                    <span class="row wrap">
                      <NewValue secret={secret} onSaved={reload} />
                      <button type="button" class="button small danger" onClick={() => remove(secret)}>
                        {say('Delete')}
                        <span class="unseen"> {secret.name}</span>
                      </button>
                    </span>
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
