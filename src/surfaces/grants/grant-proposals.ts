// What was denied to tools in ordinary runs, as proposals (L8): one for each tool, with the exact change of toolcrib.yaml.
import { editSettings, type SettingsEdit } from '../../config/edit-settings.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Access } from '../../sandbox/access/access.ts'
import { hostsOf, proposeGrants } from '../../sandbox/access/propose-grants.ts'
import { exactLists, grantsFor, onlyThese } from '../../sandbox/tool-grants.ts'
import { byCodeUnits } from '../../tool/json.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Static } from '../../tool/shape.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { changedLines, saveSettings } from '../trust/save-settings.ts'
import type { grantProposalShape } from './grant-proposal-shape.ts'

export interface GrantProposal extends Static<typeof grantProposalShape> {}

/** By tool, numbered from 1; what is granted by now is left out. */
export async function grantProposals(crib: Crib): Promise<GrantProposal[]> {
  const byTool = new Map<string, { accesses: Access[]; count: number; lastMs: number }>()
  for (const { tool, kind, what, address, count, lastMs } of await crib.accesses.list({ isDenied: true })) {
    const known = byTool.get(tool) ?? { accesses: [], count: 0, lastMs: 0 }
    const access = { kind: kind as Access['kind'], what, isDenied: true }
    known.accesses.push(address === '' ? access : { ...access, address })
    byTool.set(tool, {
      ...known,
      count: known.count + count,
      lastMs: Math.max(known.lastMs, lastMs),
    })
  }
  await crib.formats()
  const env = { config: crib.config, spaces: crib.spaces, protectedSet: crib.protectedSet }
  const proposals: GrantProposal[] = []
  for (const [id, { accesses, count, lastMs }] of [...byTool].sort(([a], [b]) => byCodeUnits(a, b))) {
    const tool = crib.catalog.tools.find((entry) => entry.id === id && entry.state !== 'shadowed')
    if (!tool) continue
    const hosts = hostsOf((await crib.inference()).of(tool))
    const { missing, refused } = proposeGrants(tool, accesses, { ...env, hosts })
    if (missing.length === 0) continue
    const change = changedLines(await editOf(crib, tool, missing))
    const lastAt = new Date(lastMs).toISOString()
    proposals.push({ n: proposals.length + 1, tool: id, grants: missing, count, lastAt, change, refused })
  }
  return proposals
}

/** Writes a proposal, by its number or its tool; throws CONFLICT when there is none such. */
export async function acceptProposal(
  crib: Crib,
  which: string,
  principal: Principal,
): Promise<GrantProposal> {
  const proposals = await grantProposals(crib)
  const chosen = proposals.find(({ n, tool }) => String(n) === which || tool === which)
  if (!chosen)
    throw new ToolError('CONFLICT', `There is no proposal "${which}".`, {
      hint: 'See `toolcrib grants` for those there are.',
    })
  const tool = crib.find(chosen.tool)
  await saveSettings(crib, {
    edit: await editOf(crib, tool, chosen.grants),
    key: `grants.tools.${tool.id}`,
    pattern: tool.id,
    principal,
    reason: `granted to ${tool.id}: ${chosen.grants.join(' ')}`,
  })
  await crib.accesses.settle(tool.id)
  return chosen
}

/** Where a list with `only` counts that is not its own, its own must be whole to count. */
async function editOf(
  { config, spaces }: Crib,
  tool: Tool,
  missing: readonly string[],
): Promise<SettingsEdit> {
  const [exact] = exactLists(tool, config)
  const isHeld = exact !== undefined && exact !== config.grants.tools[tool.id]
  const add = isHeld ? [onlyThese, ...grantsFor(tool, config), ...missing] : missing
  return editSettings(spaces.project, { path: ['grants', 'tools', tool.id], add })
}
