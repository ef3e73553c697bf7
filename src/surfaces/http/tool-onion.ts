// The onion of a tool as data: every position and layer a call of it passes, outermost first, and which of them
// would refuse a call whatever its arguments.
import type { Crib } from '../../crib/crib.ts'
import { wovenOf } from '../../guards/skills/skill-calls.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import type { LayerRefusal, OnionLayer } from './console-types.ts'

const kinds = {
  stage: 'place',
  check: 'guard',
  wrapper: 'guard',
  middleware: 'middleware',
  hook: 'hook',
} as const

export function toolOnion(crib: Crib, tool: Tool): OnionLayer[] {
  const composed = crib.kernel.compose(tool)
  const woven = wovenOf(composed)
  return composed.chain.map(({ name, kind }) => {
    if (kind !== 'middleware') return { name, kind: kinds[kind] }
    const declaredBy = woven?.declaredBy[name]?.id
    return {
      name,
      kind,
      ...(woven && { tool: woven.keys.find((key) => key.name === name)!.tool.id }),
      ...(declaredBy === undefined ? {} : { declaredBy }),
    }
  })
}

/** What would refuse a call by this principal, each with the layer that says so; runs nothing. */
export async function onionRefusals(crib: Crib, tool: Tool, principal: Principal): Promise<LayerRefusal[]> {
  const found = await crib.refusals(tool, undefined, { principal })
  return found.map(({ check, code, message, hint }) => ({ check, code, message, hint }))
}
