// What is due when, in the time zone of whoever looks.

import type { ScheduleStatus } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Ago, localTime } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function Schedules({ engine, schedules }: { engine: string; schedules: readonly ScheduleStatus[] }) {
  return (
    <section class="card" aria-label="Schedules">
      <header>
        <h2>Schedules</h2>
        {engine === 'off' && <Badge tone="warn">engine off</Badge>}
        <span class="muted">times in {zone}</span>
      </header>
      <div class="body">
        {schedules.length === 0 && (
          <p class="muted">
            None. A crumb of schema <code>schedule.definition.v1</code> is one.
          </p>
        )}
        <ul class="stack">
          {schedules.map((schedule) => (
            <li key={schedule.id}>
              <span class="row wrap">
                <a href={linkTo('events', schedule.id)}>{schedule.title}</a>
                {!schedule.enabled && <Badge>off</Badge>}
                <span class="muted">{intervalWords(schedule.interval)}</span>
              </span>
              {schedule.problem && <p class="field-fault">{schedule.problem}</p>}
              <p>
                {schedule.nextAt ? (
                  <>
                    Next {localTime(schedule.nextAt)}{' '}
                    <span class="muted">
                      (<Ago moment={schedule.nextAt} />)
                    </span>
                  </>
                ) : (
                  <span class="muted">Never fires</span>
                )}
              </p>
              {schedule.lastDueAt && <p class="muted">Last {localTime(schedule.lastDueAt)}</p>}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** `every 15 minutes`, `daily at 09:00 Europe/Berlin`, `cron 0 9 * * 1` */
function intervalWords(given: unknown): string {
  if (typeof given !== 'object' || given === null) return ''
  const interval = given as Record<string, unknown>
  const zoneWords = interval['timezone'] ? ` ${interval['timezone']}` : ''
  switch (interval['type']) {
    case 'minutely':
      return `every ${interval['every_n_minutes'] ?? 1} min`
    case 'hourly':
      return `hourly at minute ${interval['minute'] ?? 0}`
    case 'daily':
      return `daily at ${interval['time']}${zoneWords}`
    case 'weekly':
      return `${[interval['weekdays']].flat().join(', ')} at ${interval['time']}${zoneWords}`
    case 'cron':
      return `cron ${interval['expression']}${zoneWords}`
    default:
      return `${interval['type']} at ${interval['time'] ?? ''}${zoneWords}`
  }
}
