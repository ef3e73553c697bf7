// What can be set: grants and rules, tools, secrets, tokens, keys, the server and the nodes.
import type { FleetReport } from '../../api/types.ts'
import { Heading } from '../../parts/heading.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { isAdmin } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { route, setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { NodesTab, nodeTopics } from '../nodes/nodes-page.tsx'
import { settingsTabs } from '../registry.ts'
import { Grants } from './grants.tsx'
import { HaltSwitch } from './halt-switch.tsx'
import { Keys } from './keys.tsx'
import { Machine } from './machine.tsx'
import { Secrets } from './secrets.tsx'
import { Tokens } from './tokens.tsx'
import { ToolSettings } from './tool-settings.tsx'
import './settings.css'

export function SettingsPage() {
  const wanted = route.value.query.get('tab')
  const { data: fleet } = useQuery<FleetReport>(isAdmin.value ? '/api/nodes' : null, nodeTopics)
  const tabs = settingsTabs.filter(
    ({ key, isForAdmins }) =>
      (!isForAdmins || isAdmin.value) &&
      (key !== 'nodes' || wanted === key || (fleet?.nodes.length ?? 0) > 1),
  )
  const chosen = tabs.some(({ key }) => key === wanted) ? wanted! : 'tools'
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Settings')}</Heading>
      </div>
      <Tabs
        label={say('Settings')}
        tabs={tabs.map(({ key, label }) => ({ key, label: say(label) }))}
        chosen={chosen}
        onChoose={(tab) => setQuery({ tab })}
      >
        {chosen === 'tools' && <ToolSettings />}
        {chosen === 'secrets' && <Secrets />}
        {chosen === 'tokens' && <Tokens />}
        {chosen === 'grants' && <Grants />}
        {chosen === 'keys' && <Keys />}
        {chosen === 'nodes' && <NodesTab />}
        {chosen === 'server' && (
          <>
            <HaltSwitch />
            <Machine />
          </>
        )}
      </Tabs>
    </div>
  )
}
