// One tool in the list: the glyph of its format, its id, one line, how often it ran, and what is not as usual.
import type { CatalogRow } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { FormatGlyph } from '../../parts/format-glyph.tsx'
import { placeOf } from '../../parts/problem-list.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { fresh } from '../../state/catalog.ts'
import { linkTo } from '../../state/route.ts'
import { say, sayKnown, sayMany } from '../../words/say.ts'
import { deviationsOf, type ToolFigures, toneOf } from './deviations.ts'
import { ServerActions } from './server-actions.tsx'

interface ToolRowProps {
  readonly row: CatalogRow
  readonly figures: ToolFigures | undefined
}

export function ToolRow({ row, figures }: ToolRowProps) {
  const link = <ToolLink row={row} figures={figures} />
  if (row.kind !== 'server') return link
  return (
    <div class="server-row">
      {link}
      <ServerActions row={row} />
    </div>
  )
}

function ToolLink({ row, figures }: ToolRowProps) {
  return (
    <a
      class="tool-link"
      data-row
      href={linkTo('tools', row.state === 'shadowed' ? `${row.format}:${row.id}` : row.id)}
      data-fresh={fresh.value.has(row.id) || undefined}
    >
      <FormatGlyph format={row.format} />
      <span class="tool-id mono">{row.id}</span>
      <span class="tool-words">
        <Words row={row} />
      </span>
      <span class="tool-course">
        {figures?.course && (
          <Sparkline
            values={figures.course}
            tone={figures.failed > 0 ? 'bad' : 'plain'}
            label={sayMany(figures.count, '{n} call in 24 h', '{n} calls in 24 h')}
          />
        )}
      </span>
      <span class="tool-badges">
        {row.kind !== 'callable' && <Badge>{sayKnown(row.kind)}</Badge>}
        {deviationsOf(row, figures).map((word) => (
          <Badge key={word} tone={toneOf(word)} {...(row.reason ? { title: row.reason } : {})}>
            {sayKnown(word)}
          </Badge>
        ))}
        {row.kind === 'server' && <ServerState row={row} />}
      </span>
    </a>
  )
}

/** Of a server that could not be asked. */
function ServerState({ row }: { row: CatalogRow }) {
  const code = row.problems?.find(({ severity }) => severity !== 'info')?.code
  if (code === undefined) return null
  return code === 'mcp-login-needed' ? (
    <Badge tone="warn">{say('wants a log-in')}</Badge>
  ) : (
    <Badge tone="bad">{say('unreachable')}</Badge>
  )
}

function Words({ row }: { row: CatalogRow }) {
  const worst =
    (row.problems ?? []).find((problem) => problem.severity === 'error') ??
    row.problems?.find((problem) => problem.severity === 'warning')
  if (!worst) return <bdi>{row.reason ?? row.description}</bdi>
  return (
    <span class="tool-problem" data-severity={worst.severity}>
      {row.kind === 'server'
        ? ''
        : `${placeOf({ ...worst, file: worst.file?.split('/').slice(-2).join('/') ?? '' })} `}
      {worst.message}
      {row.problems!.length > 1 && ` ${say('(and {n} more)', { n: row.problems!.length - 1 })}`}
    </span>
  )
}
