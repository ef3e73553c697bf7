// What is due when, in the time zone of whoever looks: fire one now, pause it, see its next five times.
import { askJson } from '../../api/client.ts'
import type { Automation, ScheduleStatus } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Ago, localTime, Moment } from '../../parts/time.tsx'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { useAutomation } from './use-automation.ts'
import './automation.css'

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

export function SchedulesTab() {
  const { data, error, reload } = useAutomation()
  if (error && !data) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('the schedules')} lines={6} />
  return <Schedules schedules={data.schedules} />
}

function Schedules({ schedules: { engine, items } }: { schedules: Automation['schedules'] }) {
  if (items.length === 0)
    return (
      <Empty title={say('No schedules yet')} icon="clock">
        <p>
          {say('An event of this schema is one:')} <code>schedule.definition.v1</code>
        </p>
        <a class="button" href={linkTo('events', '', { tab: 'schedules', new: '1' })}>
          {say('Send an event')}
        </a>
      </Empty>
    )
  return (
    <section aria-label={say('Schedules')} class="stack tight">
      <p class="row wrap muted">
        {engine === 'off' && <Badge tone="warn">{say('engine off')}</Badge>}
        {say('Times in {zone}', { zone })}
      </p>
      <ul class="lines">
        {items.map((schedule) => (
          <Schedule key={schedule.id} schedule={schedule} />
        ))}
      </ul>
    </section>
  )
}

function Schedule({ schedule }: { schedule: ScheduleStatus }) {
  const { id, title, enabled, next, nextAt, lastDueAt, problem } = schedule
  const act = async (word: 'run' | 'pause' | 'resume', said: string) => {
    try {
      await askJson(`/api/schedules/${encodeURIComponent(id)}/${word}`, { method: 'POST' })
      announce(said)
    } catch (error) {
      announce((error as Error).message, true)
    }
    outdate('events', 'runs')
  }
  return (
    <li class="schedule">
      <div class="grow stack tight">
        <span class="row wrap">
          <a href={linkTo('events', id)}>{title}</a>
          {!enabled && <Badge>{say('paused')}</Badge>}
          <span class="muted">{intervalWords(schedule.interval)}</span>
        </span>
        {problem && <p class="field-fault">{problem}</p>}
        {nextAt ? (
          <details>
            <summary>
              {say('Next {time}', { time: localTime(nextAt) })}{' '}
              <span class="muted">
                (<Ago moment={nextAt} />)
              </span>
            </summary>
            <ol class="muted next-times" aria-label={say('The next five times')}>
              {next.map((moment) => (
                <li key={moment}>
                  <Moment moment={moment} />
                </li>
              ))}
            </ol>
          </details>
        ) : (
          <span class="muted">{say('Never fires')}</span>
        )}
        {lastDueAt && <span class="muted">{say('Last {time}', { time: localTime(lastDueAt) })}</span>}
      </div>
      <span class="row">
        <button
          type="button"
          class="button small"
          disabled={problem !== undefined}
          onClick={() => act('run', say('{title} fired.', { title }))}
        >
          {say('Run now')}
        </button>
        {enabled ? (
          <button
            type="button"
            class="button small"
            onClick={() => act('pause', say('{title} is paused.', { title }))}
          >
            {say('Pause')}
          </button>
        ) : (
          <button
            type="button"
            class="button small"
            onClick={() => act('resume', say('{title} goes on.', { title }))}
          >
            {say('Resume')}
          </button>
        )}
      </span>
    </li>
  )
}

/** `every 15 min`, `daily at 09:00 Europe/Berlin`, `cron 0 9 * * 1` */
function intervalWords(given: unknown): string {
  if (typeof given !== 'object' || given === null) return ''
  const interval = given as Record<string, unknown>
  const of = (key: string, otherwise: string | number = '') => String(interval[key] ?? otherwise)
  const zoned = (words: string) => [words, of('timezone')].filter(Boolean).join(' ')
  switch (interval['type']) {
    case 'minutely':
      return say('every {n} min', { n: of('every_n_minutes', 1) })
    case 'hourly':
      return say('hourly at minute {n}', { n: of('minute', 0) })
    case 'daily':
      return zoned(say('daily at {time}', { time: of('time') }))
    case 'weekly':
      return zoned(
        say('{days} at {time}', { days: [interval['weekdays']].flat().join(', '), time: of('time') }),
      )
    case 'cron':
      return zoned(`cron ${of('expression')}`)
    default:
      return zoned(say('{days} at {time}', { days: of('type'), time: of('time') }))
  }
}
