// One crumb in the list.
import type { CrumbEvent, CrumbItem } from '../../api/types.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Ago } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { sayKnown } from '../../words/say.ts'

const tones: Record<string, Tone> = { 'breadcrumb.created': 'ok', 'breadcrumb.updated': 'info' }
const mostTags = 4

interface CrumbRowProps {
  readonly item: CrumbItem
  /** What happened to it while one was looking. */
  readonly event: CrumbEvent['type'] | undefined
}

export function CrumbRow({ item, event }: CrumbRowProps) {
  return (
    <div class="crumb-line" data-fresh={event ? true : undefined}>
      <span class="row crumb-title">
        <a class="cut" data-row href={linkTo('events', item.id)}>
          <bdi>{item.title}</bdi>
        </a>
        {event && <Badge tone={tones[event] ?? 'plain'}>{sayKnown(event.replace('breadcrumb.', ''))}</Badge>}
      </span>
      <span class="row crumb-tags">
        {item.schema_name && (
          <a class="badge" data-tone="accent" href={linkTo('events', '', { schema: item.schema_name })}>
            {item.schema_name}
          </a>
        )}
        {item.tags.slice(0, mostTags).map((tag) => (
          <a key={tag} class="badge" href={linkTo('events', '', { tag })}>
            {tag}
          </a>
        ))}
        {item.tags.length > mostTags && <span class="muted">+{item.tags.length - mostTags}</span>}
      </span>
      <span class="muted crumb-when nowrap">
        v{item.version} · <Ago moment={item.updated_at} />
      </span>
    </div>
  )
}
