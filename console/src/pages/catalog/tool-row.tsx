// One tool in the list: its id, what it does or what is wrong with it, and its badges.
import type { CatalogRow } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { LoginButton, serverToLogIn } from '../../parts/login-button.tsx'
import { placeOf } from '../../parts/problem-list.tsx'
import { FenceBadge, StateBadge, TrustBadge } from '../../parts/tool-badges.tsx'
import { fresh } from '../../state/catalog.ts'
import { isAdmin } from '../../state/live.ts'
import { linkTo } from '../../state/route.ts'

export function ToolRow({ row }: { row: CatalogRow }) {
  const server = isAdmin.value ? serverToLogIn(row) : undefined
  if (server === undefined) return <ToolLink row={row} />
  return (
    <div class="tool-with-button">
      <ToolLink row={row} />
      <LoginButton server={server} isSmall />
    </div>
  )
}

function ToolLink({ row }: { row: CatalogRow }) {
  return (
    <a
      class="tool-link"
      data-row
      href={linkTo('tools', row.state === 'shadowed' ? `${row.format}:${row.id}` : row.id)}
      data-fresh={fresh.value.has(row.id) || undefined}
    >
      <span class="tool-id mono">{row.id}</span>
      <span class="tool-badges">
        <StateBadge state={row.state} {...(row.reason ? { reason: row.reason } : {})} />
        {row.problems?.every((problem) => problem.severity === 'info') && (
          <Badge tone="info" title={row.problems.map((problem) => problem.message).join('\n')}>
            {row.problems.length} {row.problems.length === 1 ? 'note' : 'notes'}
          </Badge>
        )}
        {row.kind !== 'callable' && <Badge>{row.kind}</Badge>}
        <span class="muted tool-format">{row.format}</span>
        {row.trust !== 'unsigned' && row.trust !== 'unchecked' && row.trust !== 'trusted' && (
          <TrustBadge status={row.trust} />
        )}
        {(row.fence === 'advisory' || row.fence === 'off') && <FenceBadge fence={row.fence} />}
      </span>
      <span class="tool-words">
        <Words row={row} />
      </span>
    </a>
  )
}

function Words({ row }: { row: CatalogRow }) {
  const worst =
    (row.problems ?? []).find((problem) => problem.severity === 'error') ??
    row.problems?.find((problem) => problem.severity === 'warning')
  if (!worst) return <>{row.reason ?? row.description}</>
  return (
    <span class="tool-problem" data-severity={worst.severity}>
      {placeOf({ ...worst, file: worst.file?.split('/').slice(-2).join('/') ?? '' })} {worst.message}
      {row.problems!.length > 1 && ` (and ${row.problems!.length - 1} more)`}
    </span>
  )
}
