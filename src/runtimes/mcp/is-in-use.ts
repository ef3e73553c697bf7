// Whether a foreign server counts at all: one that must not be started or contacted is neither listed nor logged in to.
import type { Tool } from '../../tool/tool.ts'
import { isSetAside } from '../../trust/set-aside.ts'

export function isInUse(server: Tool): boolean {
  return !['disabled', 'shadowed', 'quarantined'].includes(server.state) && !isSetAside(server)
}
