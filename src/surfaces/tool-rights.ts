// What a tool-code tool may do in the end and where each right comes from: its own document, as far as that is
// granted, or the operator's toolcrib.yaml.
import type { ToolOverrides } from '../config/config.ts'
import { grantedNetwork } from '../runtimes/deno/effective-rights.ts'
import type { NetworkRule } from '../sandbox/profile.ts'
import type { ToolCodePermissions, ToolCodePlan } from '../tool/plans/deno-plan.ts'
import type { Static } from '../tool/shape.ts'
import type { toolRightShape } from './tool-description-shape.ts'

export interface ToolRight extends Static<typeof toolRightShape> {}

export function toolRights(
  { permissions, requiredSecrets }: ToolCodePlan,
  granted: NetworkRule,
  added: ToolOverrides = {},
): ToolRight[] {
  const network = grantedNetwork(permissions.network, granted)
  const declared = {
    ...permissions,
    network: network.public ? true : network.hosts,
    secrets: requiredSecrets,
  }
  return [...rightsIn(declared, 'declared'), ...rightsIn(added, 'toolcrib.yaml')]
}

function rightsIn(
  given: ToolOverrides | (ToolCodePermissions & { readonly secrets: readonly string[] }),
  from: ToolRight['from'],
): ToolRight[] {
  const { network, breadcrumbs, tools, secrets } = given
  const parts: readonly (readonly [ToolRight['right'], readonly string[] | undefined])[] = [
    ['network', network === true ? ['public'] : network || []],
    ['breadcrumbs.read', breadcrumbs?.read],
    ['breadcrumbs.write', breadcrumbs?.write],
    ['tools', tools],
    ['imports', 'imports' in given ? given.imports : []],
    ['secrets', secrets],
  ]
  return parts.flatMap(([right, names = []]) => names.map((what) => ({ right, what, from })))
}
