// What this server is and what it can hold: version, folder, the layers of the fence, the session.
import { signOut } from '../../api/session.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { info } from '../../state/live.ts'
import { theme } from '../../state/theme.ts'
import { say } from '../../words/say.ts'

export function Machine() {
  const about = info.value
  if (!about) return <Loading what={say('the server')} />
  return (
    <div class="settings-columns">
      <section class="card" aria-label={say('Server')}>
        <header>
          <h2>{say('Server')}</h2>
        </header>
        <div class="body stack">
          <dl class="facts">
            <dt>{say('Version')}</dt>
            <dd>{about.version}</dd>
            {about.root && (
              <>
                <dt>{say('Crib')}</dt>
                <dd class="mono">{about.root}</dd>
              </>
            )}
            <dt>{say('Signed in as')}</dt>
            <dd>
              {about.name} {about.isAdmin && <Badge tone="accent">{say('admin')}</Badge>}
            </dd>
            <dt>{say('Trust')}</dt>
            <dd>{about.trust}</dd>
            <dt>{say('Sandbox')}</dt>
            <dd>{about.sandbox}</dd>
            <dt>{say('Records')}</dt>
            <dd>
              {about.recordsParams
                ? say('parameters and results in full')
                : say('only the shape of parameters and results')}
            </dd>
            <dt>{say('Theme')}</dt>
            <dd>
              <Segmented
                label={say('Theme')}
                options={[
                  ['system', say('system')],
                  ['light', say('light')],
                  ['dark', say('dark')],
                ]}
                chosen={theme.value}
                onChoose={(value) => {
                  theme.value = value
                }}
              />
            </dd>
          </dl>
          <div>
            <button type="button" class="button" onClick={signOut}>
              {say('Sign out')}
            </button>
          </div>
        </div>
      </section>
      {about.layers && (
        <section class="card" aria-label={say('Layers of the fence')}>
          <header>
            <h2>{say('Layers of the fence')}</h2>
          </header>
          <ul class="body stack tight">
            {about.layers.map((layer) => (
              <li key={layer.name}>
                <span class="row wrap">
                  <Badge tone={layer.available ? 'ok' : 'warn'}>
                    {layer.available ? say('there') : say('missing')}
                  </Badge>
                  <strong>{layer.name}</strong>
                  <span class="muted">{layer.detail}</span>
                </span>
                {!layer.available && layer.fix && <code>{layer.fix}</code>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
