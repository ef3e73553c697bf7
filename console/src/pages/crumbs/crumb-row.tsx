// One crumb in the list.
import type { CrumbEvent, CrumbItem } from '../../api/types.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Ago } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'

const tones: Record<string, Tone> = { 'breadcrumb.created': 'ok', 'breadcrumb.updated': 'info' }
const mostTags = 6

interface CrumbRowProps {
  readonly item: CrumbItem
  /** What happened to it while one was looking. */
  readonly event: CrumbEvent['type'] | undefined
}

export function CrumbRow({ item, event }: CrumbRowProps) {
  return (
    <li class="crumb-row" data-fresh={event ? true : undefined}>
      <div class="row wrap">
        <a href={linkTo('events', item.id)}>{item.title}</a>
        {event && <Badge tone={tones[event] ?? 'plain'}>{event.replace('breadcrumb.', '')}</Badge>}
      </div>
      <span class="muted crumb-when">
        v{item.version} · <Ago moment={item.updated_at} />
      </span>
      <div class="row wrap crumb-tags">
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
      </div>
    </li>
  )
}
