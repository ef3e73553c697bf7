// Breadcrumbs and their events as lines for people.

import type { FeedItem } from '../../events/feed.ts'
import type { CrumbItem } from '../../store/crumb.ts'
import { columns, outStyle, plain } from './style.ts'

/** One line each: id, when, schema, title, tags. */
export function crumbLines(items: readonly CrumbItem[]): string[] {
  return columns(
    items.map((item) => [
      item.id,
      outStyle.dim(item.updated_at.slice(0, 19).replace('T', ' ')),
      plain(item.schema_name ?? '-'),
      plain(item.title),
      outStyle.dim(plain(item.tags.join(' '))),
    ]),
  )
}

const marks: Record<string, string> = {
  'breadcrumb.created': outStyle.green('+'),
  'breadcrumb.updated': outStyle.yellow('~'),
  'breadcrumb.deleted': outStyle.red('-'),
}

/** One event: time, what happened, schema, title, the tool that wrote it, the context. */
export function eventLine(event: FeedItem, width = process.stdout.columns ?? 0): string {
  if (event.type === 'stream.reset')
    return outStyle.dim('(older events are gone; what follows is everything that is left)')
  const by = event.causation.by_tool
  const context = event.context === undefined ? '' : JSON.stringify(event.context)
  return columns(
    [
      [
        outStyle.dim(event.updated_at.slice(11, 19)),
        marks[event.type] ?? '?',
        plain(event.schema_name ?? '-').padEnd(18),
        `${plain(event.title)}${by === null ? '' : outStyle.dim(` by ${plain(by)}`)}`,
        outStyle.dim(plain(context)),
      ],
    ],
    width,
  )[0]!
}
