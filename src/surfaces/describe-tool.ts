// Everything about one tool: the document `show` prints and `GET /api/tools/{id}` answers.
import type { Crib } from '../crib/crib.ts'
import { specOf } from '../formats/mcp/server-tool.ts'
import { partsOf } from '../formats/tool-parts.ts'
import { makeProfile } from '../sandbox/make-profile.ts'
import type { Profile } from '../sandbox/profile.ts'
import { grantsFor } from '../sandbox/tool-grants.ts'
import type { Json } from '../tool/json.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Static } from '../tool/shape.ts'
import type { ChainLink, Tool, TrustStatus } from '../tool/tool.ts'
import { toolCapabilities } from './tool-capabilities.ts'
import type { toolDescriptionShape } from './tool-description-shape.ts'
import { type ToolRight, toolRights } from './tool-rights.ts'

export interface ToolDescription extends Static<typeof toolDescriptionShape> {}

/** The tool with its chain, the grants that apply to it and the profile they give. */
export async function describeTool(crib: Crib, tool: Tool): Promise<ToolDescription> {
  const grants = grantsFor(tool, crib.config)
  await crib.formats()
  const profile = makeProfile(tool, grants, crib)
  const own = {
    id: tool.id,
    tier: tool.tier,
    kind: tool.kind,
    digest: tool.source.digest,
    trust: tool.trust.status,
  }
  return {
    tool,
    chain: tool.chain?.map((link) => ({ ...link, trust: trustOf(link, crib) })) ?? [own],
    grants,
    profile,
    keeps: [...(partsOf(tool).keeps?.(tool, crib.spaces.state) ?? [])],
    capabilities: await toolCapabilities(crib, tool, grants),
    instructions: instructionsOf(crib, tool),
    ...(await detailsOf(crib, tool)),
    rights: planOf(tool, 'deno') ? rightsOf(tool, profile, crib) : undefined,
  }
}

/** What the server that a tool stands for says of itself. */
function instructionsOf({ catalog }: Crib, tool: Tool): string | undefined {
  const name = specOf(tool)?.name
  if (name === undefined) return undefined
  const entry = catalog.tools.find(({ kind, details }) => kind === 'instructions' && details?.server === name)
  return entry?.details?.instructions
}

/** What its format adds. */
async function detailsOf(crib: Crib, tool: Tool): Promise<{ details?: Json }> {
  const format = (await crib.formats()).find(({ name }) => name === tool.format)
  const details = format?.details?.(tool)
  return details === undefined ? {} : { details }
}

function rightsOf(tool: Tool, { network }: Profile, { config }: Crib): ToolRight[] {
  return toolRights(planOf(tool, 'deno')!, network, config.tools[tool.id])
}

/** What lists say of the entry; a link as it was made knows nothing of signatures. */
function trustOf({ id, tier, digest, trust }: ChainLink, { catalog }: Crib): TrustStatus {
  for (const entry of catalog.tools)
    if (entry.id === id && entry.tier === tier && entry.source.digest === digest) return entry.trust.status
  return trust
}
