// Everything about one tool: the document `show` prints and `GET /api/tools/{id}` answers.
import type { Crib } from '../crib.ts'
import { makeProfile } from '../sandbox/make-profile.ts'
import type { Profile } from '../sandbox/profile.ts'
import { grantsFor } from '../sandbox/tool-grants.ts'
import type { ChainLink, Tool } from '../tool/tool.ts'

export interface ToolDescription {
  readonly tool: Tool
  readonly chain: readonly Pick<ChainLink, 'id' | 'tier' | 'kind' | 'digest' | 'trust'>[]
  readonly grants: readonly string[]
  readonly profile: Profile
}

/** The tool with its chain, the grants that apply to it and the profile they give. */
export function describeTool(crib: Crib, tool: Tool): ToolDescription {
  const grants = grantsFor(tool, crib.config)
  const own = {
    id: tool.id,
    tier: tool.tier,
    kind: tool.kind,
    digest: tool.source.digest,
    trust: tool.trust.status,
  }
  return {
    tool,
    chain: tool.chain ?? [own],
    grants,
    profile: makeProfile(tool, grants, crib.config, crib.spaces),
  }
}
