// The catalog as the console lists it: one light row per tool, so that thousands arrive in one answer.
import { isListed } from '../../catalog/catalog.ts'
import type { Crib } from '../../crib/crib.ts'
import { uiSchemaOf } from '../../events/configs.ts'
import { asksApproval } from '../../guards/checks/approve.ts'
import { isEngine } from '../../sandbox/engine.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import type { CatalogRow, CatalogRows, ExpectedFence } from './console-types.ts'
import { maySee } from './principals.ts'

const maxDescription = 280

export function catalogRows(crib: Crib, principal: Principal): CatalogRows {
  const fenceOf = expectedFence(crib)
  const rows = crib
    .list({ all: true })
    .filter((tool) => maySee(principal, tool, crib))
    .map((tool) => ({ ...rowOf(tool, fenceOf(tool)), ...deviationsOf(crib, tool, principal) }))
  const shown = new Set(rows.flatMap((row) => row.problems ?? []))
  return {
    version: crib.catalog.version,
    rows,
    problems: isUnrestricted(principal) ? crib.problems.filter((problem) => !shown.has(problem)) : [],
  }
}

/** What is not as usual: the page says nothing of the rest (V9). */
function deviationsOf(crib: Crib, tool: Tool, principal: Principal): Partial<CatalogRow> {
  if (tool.kind !== 'callable') return {}
  return {
    stoppedBy: crib.offers.stoppedBy(tool, principal),
    asks: asksApproval(tool, crib.config) === undefined ? undefined : true,
    inHost: (tool.runtime?.name === 'skill' && crib.runsInHost(tool)) || undefined,
  }
}

function rowOf(tool: Tool, fence: ExpectedFence): CatalogRow {
  const { id, title, description, version, format, kind, tier, state, reason, tags, requires, source } = tool
  return {
    id,
    title,
    description:
      description.length > maxDescription ? `${description.slice(0, maxDescription)}…` : description,
    version,
    format,
    kind,
    tier,
    state,
    reason,
    tags,
    requires,
    trust: tool.trust.status,
    fence,
    listed: isListed(tool),
    configurable: uiSchemaOf(tool)?.configurable || undefined,
    file: source.file,
    line: source.line,
    problems: tool.problems.length === 0 ? undefined : tool.problems,
  }
}

/** Runtimes that start a process of their own and put the fence round it. */
const processRuntimes = new Set([
  'deno',
  'command',
  'mcp',
  'rye-mcp',
  'rye-worker',
  'rye-process',
  'rye-docker',
])

/** A question answered from the machine's layers, asked once per list. */
export function expectedFence(crib: Crib): (tool: Tool) => ExpectedFence {
  const isOff = crib.config.sandbox.mode === 'off'
  const hasWalls = !isOff && crib.fence.layers().some((layer) => isEngine(layer.name) && layer.available)
  return (tool) => {
    const { runtime } = tool
    const hasProcess =
      runtime?.name === 'skill' ? !crib.runsInHost(tool) : processRuntimes.has(runtime?.name ?? '')
    if (!runtime || !hasProcess) return 'in-process'
    if (hasWalls) return 'enforced'
    // Deno holds files, environment and network by its own permissions, without a wall round it.
    if (runtime.name === 'deno') return 'partial'
    return isOff ? 'off' : 'advisory'
  }
}
