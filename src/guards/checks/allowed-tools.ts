// The caller's allow list: what a skill, an agent or a token may call, and with which arguments.
import type { Check } from '../../kernel/stages.ts'
import { parseAllowedTools } from '../../tool/allowed-tools.ts'
import { ToolError } from '../../tool/tool-error.ts'

export function allowedTools(): Check {
  return {
    name: 'allowed-tools',
    stage: '$pre-configure',
    inEntries: false,
    check(call) {
      const text = call.principal.allowedTools
      if (text === undefined || call.options.isOwnCode) return
      const list = parseAllowedTools(text)
      const { tool, args, options } = call
      if (options.hasNoArgsYet ? list.couldAllow(tool) : list.allows(tool, args)) return
      const who = call.principal.tool ?? call.principal.name
      throw new ToolError('TOOL_DENIED', `${who} may not call ${call.tool.id} with these arguments.`, {
        hint: `Its allowed-tools list is "${text}".`,
        details: { tool: call.tool.id, allowedTools: text },
      })
    },
  }
}
