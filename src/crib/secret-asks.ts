// Tools of a folder that name secrets or variables of the user's, and that nobody vouches for but the folder itself: the user decides (G2, G19).
import { hasYielded } from '../catalog/yielding.ts'
import type { Config } from '../config/config.ts'
import type { Ask } from '../config/folder-asks.ts'
import type { Spaces } from '../config/spaces.ts'
import { userVariables } from '../runtimes/rye/dot-env.ts'
import { namedVariables } from '../runtimes/rye/named-variables.ts'
import { placeholderNames } from '../sandbox/reveal-secrets.ts'
import type { Tool } from '../tool/tool.ts'
import type { Lock } from '../trust/lock/lock.ts'
import { acceptanceOf, type Voucher } from '../trust/vouched.ts'

interface AskedOf {
  readonly config: Config
  readonly spaces: Spaces
  readonly lock: Lock
  voucherOf(tool: Tool): Voucher | null
}

export function secretAsks(tools: readonly Tool[], crib: AskedOf): Ask[] {
  const variables = userVariables(crib.spaces)
  return tools.flatMap((tool) => {
    const { file, line } = tool.source
    const given = crib.config.tools[tool.id]
    const settled = [...(given?.secrets ?? []), ...placeholderNames(given?.placeholders)]
    if (hasYielded(tool)) return []
    const names = (tool.secrets ?? []).filter((name) => !settled.includes(name))
    const wanted = variables.size === 0 ? [] : namedVariables(tool).filter((name) => variables.has(name))
    if (names.length + wanted.length === 0 || tool.tier === 'system' || file === null) return []
    const voucher = crib.voucherOf(tool)
    if (voucher !== null && voucher !== 'accepted') return []
    const what = [
      ...(names.length > 0 ? [`the secret${names.length > 1 ? 's' : ''} ${names.join(', ')}`] : []),
      ...(wanted.length > 0 ? [`${wanted.join(', ')} of your .ai/.env`] : []),
    ]
    return [{ ...acceptanceOf(tool, crib.lock), what: `give ${tool.id} ${what.join(' and ')}`, file, line }]
  })
}
