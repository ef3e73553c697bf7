// What this server is and what it can hold: version, folder, the layers of the fence, the session.
import { signOut } from '../../api/session.ts'
import { Badge } from '../../parts/badge.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { info } from '../../state/live.ts'
import { theme } from '../../state/theme.ts'

export function Machine() {
  const about = info.value
  if (!about) return <Loading what="the server" />
  return (
    <div class="settings-columns">
      <section class="card" aria-label="Server">
        <header>
          <h2>Server</h2>
        </header>
        <div class="body stack">
          <dl class="facts">
            <dt>Version</dt>
            <dd>{about.version}</dd>
            {about.root && (
              <>
                <dt>Crib</dt>
                <dd class="mono">{about.root}</dd>
              </>
            )}
            <dt>Signed in as</dt>
            <dd>
              {about.name} {about.isAdmin && <Badge tone="accent">admin</Badge>}
            </dd>
            <dt>Trust</dt>
            <dd>{about.trust}</dd>
            <dt>Sandbox</dt>
            <dd>{about.sandbox}</dd>
            <dt>Records</dt>
            <dd>
              {about.recordsParams
                ? 'parameters and results in full'
                : 'only the shape of parameters and results'}
            </dd>
            <dt>Theme</dt>
            <dd>
              <Segmented
                label="Theme"
                options={[
                  ['system', 'System'],
                  ['light', 'Light'],
                  ['dark', 'Dark'],
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
              Sign out of this tab
            </button>
          </div>
        </div>
      </section>
      {about.layers && (
        <section class="card" aria-label="Layers of the fence">
          <header>
            <h2>Layers of the fence</h2>
          </header>
          <ul class="body stack tight">
            {about.layers.map((layer) => (
              <li key={layer.name}>
                <span class="row wrap">
                  <Badge tone={layer.available ? 'ok' : 'warn'}>
                    {layer.available ? 'there' : 'missing'}
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
