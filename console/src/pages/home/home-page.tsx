// The state of the crib at a glance: figures of a day, what needs a person, what runs, what fails and what is slow.
import { useMemo } from 'preact/hooks'
import type { InboxItem, RunStats } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { Heading } from '../../parts/heading.tsx'
import { LatestRuns } from '../../parts/latest-runs.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { duration, money } from '../../parts/time.tsx'
import { catalog, rows } from '../../state/catalog.ts'
import { finished, isAdmin, isConnected, running } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { dayMs, lastRange, seriesOf, statsPath } from '../../state/stats.ts'
import { count, say, sayMany } from '../../words/say.ts'
import { InboxLine } from '../inbox/inbox-line.tsx'
import { useInbox } from '../inbox/use-inbox.ts'
import { Changed } from './changed.tsx'
import { Checklist } from './checklist.tsx'
import { RunningList } from './running-list.tsx'
import './home.css'

const mostRows = 10
/** As many as fill a large screen; on a small one the page scrolls. */
const mostLatest = 18

export function HomePage() {
  const range = useMemo(() => lastRange(dayMs, 48, Date.now()), [finished.value[0]?.runId])
  const { data: stats, error, reload } = useQuery<RunStats>(statsPath(range, { by: 'tool' }), ['runs'])
  const { items } = useInbox()
  const isEmpty = catalog.value !== null && rows.value.filter((row) => row.tier !== 'system').length === 0
  return (
    <div class="page home">
      <div class="page-head">
        <Heading>{say('Home')}</Heading>
        <span class="muted">{catalog.value ? sayMany(rows.value.length, '{n} tool', '{n} tools') : ''}</span>
      </div>
      {error && !stats && <Failure error={error} onRetry={reload} />}
      <Figures range={range} stats={stats} />
      {(isEmpty || (stats && stats.total.count < 3)) && <Checklist isEmpty={isEmpty} stats={stats} />}
      <div class="home-columns">
        <div class="home-now">
          {isAdmin.value && <NeedsYou items={items} />}
          <section aria-label={say('Running now')}>
            <h2>{say('Running now')}</h2>
            {isConnected.value === null ? (
              <Loading what={say('Running now')} lines={2} />
            ) : (
              <RunningList runs={running.value} />
            )}
          </section>
          <Changed items={items} />
        </div>
        <div class="home-record">
          <Ranking
            title={say('Most failures')}
            none={say('Nothing failed in 24 hours.')}
            groups={stats && ranked(stats, ({ failed }) => failed)}
            value={({ failed, count: all }) => say('{failed} of {all}', { failed, all })}
            link={(tool) => linkTo('runs', '', { tool, ok: 'false' })}
          />
          <Ranking
            title={say('Most time')}
            none={say('Nothing ran in 24 hours.')}
            groups={stats && ranked(stats, ({ totalMs }) => totalMs)}
            value={({ totalMs, p95 }) =>
              say('{total}, p95 {p95}', { total: duration(totalMs), p95: duration(p95 ?? 0) })
            }
            link={(tool) => linkTo('tools', tool, { tab: 'runs' })}
          />
        </div>
        <div class="home-latest">
          <LatestRuns most={mostLatest} />
        </div>
      </div>
    </div>
  )
}

type Group = RunStats['groups'][number]

function ranked(stats: RunStats, by: (group: Group) => number): readonly Group[] {
  return [...stats.groups]
    .filter((group) => by(group) > 0)
    .sort((a, b) => by(b) - by(a))
    .slice(0, mostRows)
}

function Figures({ range, stats }: { range: ReturnType<typeof lastRange>; stats: RunStats | null }) {
  const total = stats?.total
  const buckets = stats?.buckets ?? []
  const figures = [
    {
      name: say('Calls, 24 h'),
      value: total ? count(total.count) : '–',
      values: seriesOf(range, buckets, (each) => each.count),
      link: linkTo('runs'),
    },
    {
      name: say('Failures'),
      value: total ? count(total.failed) : '–',
      values: seriesOf(range, buckets, (each) => each.failed),
      isBad: (total?.failed ?? 0) > 0,
      link: linkTo('runs', '', { ok: 'false' }),
    },
    {
      name: say('p95'),
      value: total?.p95 == null ? '–' : duration(total.p95),
      values: seriesOf(range, buckets, (each) => each.p95 ?? 0),
      link: linkTo('runs', '', total?.p95 == null ? {} : { minMs: String(Math.floor(total.p95)) }),
    },
    ...(stats?.cost ?? []).map(({ amount, currency }) => ({
      name: say('Cost'),
      value: money({ amount, currency }),
      values: [] as number[],
      link: linkTo('runs'),
      isBad: false,
    })),
  ]
  return (
    <ul class="figures" aria-label={say('The last 24 hours')}>
      {figures.map(({ name, value, values, isBad, link }) => (
        <li key={name}>
          <a href={link} class="figure" data-bad={isBad || undefined}>
            <span class="muted">{name}</span>
            <strong>{value}</strong>
            {values.length > 0 && (
              <Sparkline
                values={values}
                tone={isBad ? 'bad' : 'plain'}
                label={say('{name} over 24 hours', { name })}
              />
            )}
          </a>
        </li>
      ))}
    </ul>
  )
}

function NeedsYou({ items }: { items: readonly InboxItem[] | null }) {
  return (
    <section aria-label={say('Needs you')}>
      <h2>
        {say('Needs you')}{' '}
        {items && items.length > mostRows && (
          <a class="more" href={linkTo('inbox')}>
            {say('all {n}', { n: items.length })}
          </a>
        )}
      </h2>
      {!items && <Loading what={say('Needs you')} />}
      {items?.length === 0 && <p class="quiet-line">{say('Nothing waits for you.')}</p>}
      <ul class="lines">
        {items?.slice(0, mostRows).map((item) => (
          <li key={item.id}>
            <InboxLine item={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface RankingProps {
  readonly title: string
  readonly none: string
  /** Null: not known yet. */
  readonly groups: readonly Group[] | null
  value(group: Group): string
  link(tool: string): string
}

function Ranking({ title, none, groups, value, link }: RankingProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {!groups && <Loading what={title} />}
      {groups?.length === 0 && <p class="quiet-line">{none}</p>}
      <ul class="lines">
        {groups?.map((group) => (
          <li key={group.key}>
            <a class="line" href={link(group.key)} data-row>
              <span class="mono grow cut">{group.key}</span>
              <span class="muted nowrap">{value(group)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
