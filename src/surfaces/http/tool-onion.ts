// The onion of a tool as data: every place and layer a call of it passes, outermost first.
import type { Crib } from '../../crib/crib.ts'
import type { Tool } from '../../tool/tool.ts'
import type { OnionLayer } from './console-types.ts'

export function toolOnion(crib: Crib, tool: Tool): OnionLayer[] {
  const { chain, woven } = crib.kernel.compose(tool)
  const keys = new Map((woven?.keys ?? []).map((key) => [key.name, key.tool.id]))
  return chain.map(({ name, run }) => {
    if (run === null) return { name, kind: 'place' }
    const key = keys.get(name)
    if (key !== undefined) {
      const declaredBy = woven?.declaredBy[name]?.id
      return { name, kind: 'middleware', tool: key, ...(declaredBy === undefined ? {} : { declaredBy }) }
    }
    return { name, kind: name.startsWith('$') ? 'hook' : 'guard' }
  })
}
