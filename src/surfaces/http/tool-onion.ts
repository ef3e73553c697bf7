// The onion of a tool as data: every position and layer a call of it passes, outermost first.
import type { Crib } from '../../crib/crib.ts'
import { wovenOf } from '../../guards/skills/skill-calls.ts'
import type { Tool } from '../../tool/tool.ts'
import type { OnionLayer } from './console-types.ts'

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
