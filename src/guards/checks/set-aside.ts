// Refuses a tool that is made of what another tool wrote a moment ago, before the catalog was read again (G7). What the
// catalog knows of already is refused by `ready`.
import type { Check } from '../../kernel/stages.ts'
import { isSetAside, setAsideError } from '../../trust/set-aside.ts'
import type { GuardServices } from '../services.ts'

export function setAside(services: Pick<GuardServices, 'setAside'>): Check {
  return {
    name: 'set-aside',
    stage: '$start',
    applies: (tool) => tool.tier !== 'system' && !isSetAside(tool),
    check({ tool, options }) {
      if (options.asListed) return
      const record = services.setAside.ofTool(tool)
      if (record) throw setAsideError(tool.id, record)
    },
  }
}
