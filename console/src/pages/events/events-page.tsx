// What happened and who reacts: the stream, the wiring, schedules and what starts with the crib.
import { Heading } from '../../parts/heading.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { isAdmin } from '../../state/live.ts'
import { route, setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { AutomationTab } from '../automation/automation-page.tsx'
import { CrumbStream } from '../crumbs/crumbs-page.tsx'
import { WiringTab } from './wiring-tab.tsx'

export function EventsPage() {
  const chosen = route.value.query.get('tab') ?? 'stream'
  const tabs = [
    { key: 'stream', label: say('Stream') },
    ...(isAdmin.value
      ? [
          { key: 'wiring', label: say('Wiring') },
          { key: 'automation', label: say('Schedules and start') },
        ]
      : []),
  ]
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Events')}</Heading>
      </div>
      <Tabs
        label={say('Events')}
        tabs={tabs}
        chosen={chosen}
        onChoose={(tab) => setQuery({ tab: tab === 'stream' ? null : tab })}
      >
        {chosen === 'stream' && <CrumbStream />}
        {chosen === 'wiring' && <WiringTab />}
        {chosen === 'automation' && <AutomationTab />}
      </Tabs>
    </div>
  )
}
