// What can be set and what must be decided: tools, secrets, tokens, keys, drift, approvals, the machine.
import { useState } from 'preact/hooks'
import { Tabs } from '../../parts/tabs.tsx'
import { approvals } from '../../state/live.ts'
import { route, setQuery } from '../../state/route.ts'
import { Approvals } from './approvals.tsx'
import { Drift } from './drift.tsx'
import { Keys } from './keys.tsx'
import { Machine } from './machine.tsx'
import { Secrets } from './secrets.tsx'
import { Tokens } from './tokens.tsx'
import { ToolSettings } from './tool-settings.tsx'
import './settings.css'

export function SettingsPage() {
  const waiting = approvals.value.length
  // What waits comes first, and stays in view when it was decided.
  const [first] = useState(waiting > 0 ? 'approvals' : 'tools')
  const chosen = route.value.query.get('tab') ?? first
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Settings</h1>
      </div>
      <Tabs
        label="Settings"
        tabs={[
          { key: 'tools', label: 'Tools' },
          { key: 'secrets', label: 'Secrets' },
          { key: 'tokens', label: 'Tokens' },
          { key: 'keys', label: 'Keys and trust' },
          { key: 'drift', label: 'Drift' },
          {
            key: 'approvals',
            label: <>Approvals {waiting > 0 && <span class="count">{waiting}</span>}</>,
          },
          { key: 'machine', label: 'This server' },
        ]}
        chosen={chosen}
        onChoose={(tab) => setQuery({ tab })}
      >
        {chosen === 'tools' && <ToolSettings />}
        {chosen === 'secrets' && <Secrets />}
        {chosen === 'tokens' && <Tokens />}
        {chosen === 'keys' && <Keys />}
        {chosen === 'drift' && <Drift />}
        {chosen === 'approvals' && <Approvals />}
        {chosen === 'machine' && <Machine />}
      </Tabs>
    </div>
  )
}
