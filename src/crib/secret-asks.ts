// Tools of a folder that name secrets, and that nobody vouches for but the folder itself: the user decides (G2, G19).
import { hasYielded } from '../catalog/yielding.ts'
import type { Config } from '../config/config.ts'
import type { Ask } from '../config/folder-asks.ts'
import { placeholderNames } from '../sandbox/reveal-secrets.ts'
import type { Tool } from '../tool/tool.ts'
import type { Lock } from '../trust/lock/lock.ts'
import { acceptanceOf, type Voucher } from '../trust/vouched.ts'

interface AskedOf {
  readonly config: Config
  readonly lock: Lock
  voucherOf(tool: Tool): Voucher | null
}

export function secretAsks(tools: readonly Tool[], crib: AskedOf): Ask[] {
  return tools.flatMap((tool) => {
    const { file, line } = tool.source
    const given = crib.config.tools[tool.id]
    const settled = [...(given?.secrets ?? []), ...placeholderNames(given?.placeholders)]
    if (hasYielded(tool)) return []
    const names = (tool.secrets ?? []).filter((name) => !settled.includes(name))
    if (names.length === 0 || tool.tier === 'system' || file === null) return []
    const voucher = crib.voucherOf(tool)
    if (voucher !== null && voucher !== 'accepted') return []
    const what = `give ${tool.id} the secret${names.length > 1 ? 's' : ''} ${names.join(', ')}`
    return [{ ...acceptanceOf(tool, crib.lock), what, file, line }]
  })
}
