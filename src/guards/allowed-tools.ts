// The caller's allow list: what a skill, an agent or a token may call, and with which arguments.
import type { Guard } from '../kernel/pipeline.ts'
import { parseAllowedTools } from '../tool/allowed-tools.ts'
import { ToolError } from '../tool/tool-error.ts'

export function allowedTools(): Guard {
  return {
    name: 'allowed-tools',
    after: '$pre-configure',
    inChainEntries: false,
    isQuick: true,
    run(call) {
      const text = call.principal.allowedTools
      if (text === undefined || call.options.isOwnCode) return
      if (parseAllowedTools(text).allows(call.tool, call.args)) return
      const who = call.principal.tool ?? call.principal.name
      throw new ToolError('TOOL_DENIED', `${who} may not call ${call.tool.id} with these arguments.`, {
        hint: `Its allowed-tools list is "${text}".`,
        details: { tool: call.tool.id, allowedTools: text },
      })
    },
  }
}
