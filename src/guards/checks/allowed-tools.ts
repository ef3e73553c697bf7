// The caller's allow list: what a skill, an agent or a token may call, and with which arguments; and the offer that a
// client was given.
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { parseAllowedTools } from '../../tool/allowed-tools.ts'
import type { OfferRight } from '../../tool/principal.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { isSelected } from '../offer-selection.ts'

export function allowedTools(): Check {
  return {
    name: 'allowed-tools',
    stage: '$pre-configure',
    inEntries: false,
    judgesRights: true,
    check(call) {
      const { allowedTools: text, offer } = call.principal
      if (call.options.isOwnCode) return
      if (offer) mustBeIn(offer, call)
      if (text === undefined) return
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

function mustBeIn(offer: OfferRight, { tool, principal }: Call): void {
  if (isSelected(offer.tools, tool)) return
  throw new ToolError('TOOL_DENIED', `${tool.id} is not in the offer "${offer.name}" of ${principal.name}.`, {
    hint: `Add it to offers.${offer.name}.tools in toolcrib.yaml, or use another offer.`,
    details: { tool: tool.id, offer: offer.name },
  })
}
