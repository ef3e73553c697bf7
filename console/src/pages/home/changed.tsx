// What changed in the files: tools that are not as they were approved, what runs wrote, and what somebody saved while
// the console was open.
import type { ChangeSets, InboxItem } from '../../api/types.ts'
import { stateWords } from '../../parts/changes-panel.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Ago } from '../../parts/time.tsx'
import { changes } from '../../state/catalog.ts'
import { isAdmin } from '../../state/live.ts'
import { useQuery } from '../../state/query.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { InboxLine } from '../inbox/inbox-line.tsx'

const mostRows = 10

export function Changed({ items }: { items: readonly InboxItem[] | null }) {
  const { data } = useQuery<{ changes: ChangeSets }>(
    isAdmin.value ? `/api/changes?limit=${mostRows}` : null,
    ['runs', 'approvals'],
  )
  const drifted = items?.filter(({ kind }) => kind === 'drift') ?? []
  const lines = [
    ...changes.value.map(({ id, change, at }) => ({
      key: `tool ${id}`,
      link: linkTo('tools', id),
      name: id,
      who: '',
      word: say(change),
      at,
    })),
    ...(data?.changes ?? []).map(({ run, tool, at, state, paths, files, undoneBy }) => ({
      key: run,
      link: linkTo('runs', run),
      name: files > 1 ? say('{file} and {n} more', { file: paths[0]!, n: files - 1 }) : paths[0]!,
      who: tool,
      word: undoneBy === undefined ? say(stateWords[state]) : say('taken back'),
      at,
    })),
  ]
    .sort((one, two) => (one.at < two.at ? 1 : -1))
    .slice(0, mostRows)
  return (
    <section aria-label={say('Changed files')}>
      <h2>{say('Changed files')}</h2>
      {isAdmin.value && !data && <Loading what={say('Changed files')} lines={2} />}
      {(data || !isAdmin.value) && drifted.length === 0 && lines.length === 0 && (
        <p class="quiet-line">{say('No file changed.')}</p>
      )}
      <ul class="lines">
        {drifted.map((item) => (
          <li key={item.id}>
            <InboxLine item={item} />
          </li>
        ))}
        {lines.map(({ key, link, name, who, word, at }) => (
          <li key={key}>
            <a class="line" href={link} data-row>
              <Icon name="file" />
              <span class="mono grow cut">{name}</span>
              {who && <span class="muted cut">{who}</span>}
              <span class="muted nowrap">
                {word} <Ago moment={at} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
