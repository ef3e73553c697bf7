// The first steps of a new crib; what is done is ticked by itself.
import type { RunStats, SecretInfo, TokenInfo } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { rows } from '../../state/catalog.ts'
import { isAdmin } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { useInbox } from '../inbox/use-inbox.ts'

const formats = ['rye', 'tools-json', 'tool-code', 'skill', 'mcp', 'openapi']

export function Checklist({ isEmpty, stats }: { isEmpty: boolean; stats: RunStats | null }) {
  const { data: tokens } = useQuery<{ tokens: readonly TokenInfo[] }>(isAdmin.value ? '/api/tokens' : null, [
    'settings',
  ])
  const { data: secrets } = useQuery<readonly SecretInfo[]>(isAdmin.value ? '/secrets' : null, ['settings'])
  const { data: drift } = useQuery<{ locked: boolean }>('/api/drift', ['catalog'])
  const { items } = useInbox()
  const missing = items?.find((item) => item.kind === 'secret')
  const first =
    rows.value.find((row) => row.listed && row.tier !== 'system') ?? rows.value.find((row) => row.listed)
  const steps = [
    {
      done: (stats?.total.count ?? 0) > 0,
      text: say('Try a tool'),
      link: first ? linkTo('tools', first.id) : linkTo('tools'),
    },
    {
      done: (tokens?.tokens.length ?? 0) > 1,
      text: say('Connect a client'),
      link: linkTo('connect'),
    },
    ...(missing
      ? [
          {
            done: false,
            text: say('Store the secret {name}', { name: missing.kind === 'secret' ? missing.name : '' }),
            link: linkTo('settings', '', { tab: 'secrets' }),
          },
        ]
      : (secrets?.length ?? 0) > 0
        ? [{ done: true, text: say('Store a secret'), link: linkTo('settings', '', { tab: 'secrets' }) }]
        : []),
    {
      done: drift?.locked === true,
      text: say('Pin what was checked: toolcrib lock'),
      link: linkTo('settings', '', { tab: 'keys' }),
    },
  ]
  return (
    <section class="checklist" aria-label={say('First steps')}>
      <h2>{isEmpty ? say('This crib has no tools of its own yet') : say('First steps')}</h2>
      {isEmpty && (
        <>
          <p class="muted">
            {say('Make one of these in the folder; it shows up here as soon as the file is saved.')}
          </p>
          <ul class="row wrap">
            {formats.map((format) => (
              <li key={format}>
                <CopyButton label={say('command')} text={`toolcrib new ${format} hello`}>
                  {['toolcrib new', format, 'hello'].join(' ')}
                </CopyButton>
              </li>
            ))}
          </ul>
        </>
      )}
      <ol>
        {steps.map(({ done, text, link }) => (
          <li key={text} data-done={done || undefined}>
            <span class="tick" aria-hidden="true">
              {done && <Icon name="check" />}
            </span>
            <a href={link}>{text}</a>
            {done && <span class="unseen">{say('done')}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
