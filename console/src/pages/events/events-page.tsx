// What happened and who reacts: the stream, the wiring, schedules, what was given up, what starts with the crib.
import { Heading } from '../../parts/heading.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { isAdmin } from '../../state/live.ts'
import { route, setQuery } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { SchedulesTab } from '../automation/schedules.tsx'
import { StartTab } from '../automation/start-tab.tsx'
import { CreateCrumb } from '../crumbs/create-crumb.tsx'
import { CrumbStream } from '../crumbs/crumbs-page.tsx'
import { DeadLettersTab } from './dead-letters-tab.tsx'
import { WiringTab } from './wiring-tab.tsx'

export function EventsPage() {
  const isSending = route.value.query.get('new') === '1'
  const chosen = route.value.query.get('tab') ?? 'stream'
  const tabs = [
    { key: 'stream', label: say('Stream') },
    ...(isAdmin.value
      ? [
          { key: 'wiring', label: say('Wiring') },
          { key: 'schedules', label: say('Schedules') },
          { key: 'letters', label: say('Dead letters') },
          { key: 'automation', label: say('Start') },
        ]
      : []),
  ]
  return (
    <div class="page">
      <div class="page-head">
        <Heading>{say('Events')}</Heading>
        <span class="grow" />
        <button type="button" class="button" onClick={() => setQuery({ new: '1' })}>
          <Icon name="plus" /> {say('Send an event')}
        </button>
      </div>
      <Tabs
        label={say('Events')}
        tabs={tabs}
        chosen={chosen}
        onChoose={(tab) => setQuery({ tab: tab === 'stream' ? null : tab })}
      >
        {chosen === 'stream' && <CrumbStream />}
        {chosen === 'wiring' && <WiringTab />}
        {chosen === 'schedules' && <SchedulesTab />}
        {chosen === 'letters' && <DeadLettersTab />}
        {chosen === 'automation' && <StartTab />}
      </Tabs>
      {isSending && <CreateCrumb onClose={() => setQuery({ new: null })} />}
    </div>
  )
}
