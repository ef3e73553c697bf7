// What a tool can touch in four columns: what its definition says, what its code tells, what recorded runs used, what
// it is granted (L2).
import type { Crib } from '../crib/crib.ts'
import { coversGrant } from '../sandbox/access/propose-grants.ts'
import type { UsedGrant } from '../sandbox/access/used-grants.ts'
import { coversFinding, declaredCapabilities } from '../sandbox/declared-capabilities.ts'
import { startsPrograms } from '../sandbox/make-profile.ts'
import { namedGrants } from '../sandbox/tool-grants.ts'
import { isUnused } from '../sandbox/unused-grants.ts'
import { grantText } from '../tool/capabilities.ts'
import { parseGrant } from '../tool/capability.ts'
import { findingKey } from '../tool/finding.ts'
import { byCodeUnits } from '../tool/json.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import type { toolCapabilityShape } from './tool-description-shape.ts'

export interface ToolCapability extends Static<typeof toolCapabilityShape> {}

/** One entry for each thing that any of the columns speaks of, in code-unit order. */
export async function toolCapabilities(
  crib: Crib,
  tool: Tool,
  grants: readonly string[],
): Promise<ToolCapability[]> {
  const declared = declaredCapabilities(tool) ?? []
  const found = (await crib.inference()).of(tool)
  const { used: uses, since } = await crib.usesOf(tool)
  const evidence = { findings: found, used: uses, since, project: crib.root }
  const unused = namedGrants(tool, crib.config).filter((grant) => isUnused(grant, tool, evidence))
  const said = [...found.map(findingKey), ...declared, ...grants]
  // What was used and nothing else speaks of is told by itself.
  const unsaid = uses.filter(({ grant }) => !said.some((text) => coversGrant(text, grant)))
  const keys = new Set([...said, ...unsaid.map(({ grant }) => grant)])
  // A command or a shell script starts programs without any grant.
  const given = startsPrograms(tool) ? [...grants, 'shell.execute'] : grants
  const entries = [...keys].map((key): ToolCapability => {
    const { capability, scope } = parseGrant(key)
    const isSaidBy = (list: readonly string[]): boolean =>
      list.some((text) => text === key || coversFinding(text, { capability, detail: scope }, crib.root))
    const places = found.filter((finding) => findingKey(finding) === key)
    return {
      capability,
      detail: scope,
      declared: isSaidBy(declared),
      inferred: places.map(({ certainty, file, line, column }) => ({ certainty, file, line, column })),
      used: usedOf(uses.filter(({ grant }) => coversGrant(key, grant))),
      granted: isSaidBy(given),
      unused: unused.includes(key),
    }
  })
  return entries.sort((one, other) => byCodeUnits(textOf(one), textOf(other)))
}

function usedOf(uses: readonly UsedGrant[]): ToolCapability['used'] {
  if (uses.length === 0) return undefined
  const last = uses.reduce((one, other) => (one.lastAt > other.lastAt ? one : other))
  return { count: uses.reduce((sum, { count }) => sum + count, 0), lastAt: last.lastAt }
}

function textOf({ capability, detail }: ToolCapability): string {
  return grantText({ capability, scope: detail })
}
