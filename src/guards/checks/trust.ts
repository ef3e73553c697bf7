// Who vouches for the tool: what was changed after signing never runs; what nobody signed runs with a warning
// or not at all, as the trust mode says.
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import type { Tool, Trust } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

/** What was warned of in this process: a warning with every call is one nobody reads. */
const warned = new Set<string>()

export function trust(services: Pick<GuardServices, 'config' | 'trustOf' | 'isFolderAccepted'>): Check {
  /** What each tool passed with last, under these settings. */
  let passed = new WeakMap<Tool, Trust>()
  let settings = services.config

  function judge(call: Call, verdict: Trust): void {
    const { config } = services
    if (settings !== config) passed = new WeakMap()
    settings = config
    if (passed.get(call.tool) === verdict || isVouched(verdict)) return
    const refusal = trustRefusal(call.tool, verdict, config.trust === 'require')
    if (refusal) throw refusal
    if (call.isDryRun) return
    warnOnce(call, verdict)
    passed.set(call.tool, verdict)
  }

  function warnOnce(call: Call, { status, reason }: Trust): void {
    const { id, source, tier } = call.tool
    const key = `${source.file}\n${id}\n${status}`
    if (warned.has(key)) return
    // D7: `check` says once that the user's own tools are not signed.
    if (status === 'unsigned' && tier === 'project' && services.isFolderAccepted()) return
    warned.add(key)
    call.log('warn', `${id} is ${status}${reason ? `: ${reason}` : ''}`, { guard: 'trust' })
  }

  return {
    name: 'trust',
    stage: '$pre-configure',
    applies: (tool) => isJudged(tool, services.config.trust),
    check(call) {
      if (call.tool.source.crumb !== undefined)
        return judgeStored(call.tool, services.config.trust === 'require')
      const verdict = call.options.asListed ? call.tool.trust : services.trustOf(call.tool)
      return verdict instanceof Promise
        ? verdict.then((settled) => judge(call, settled))
        : judge(call, verdict)
    },
  }
}

function isVouched({ status }: Trust): boolean {
  return status === 'trusted' || status === 'unchecked'
}

/** False for tools that need nobody to vouch for them. */
function isJudged(tool: Tool, mode: GuardServices['config']['trust']): boolean {
  if (mode === 'off' || tool.tier === 'system') return false
  return tool.source.file !== null || tool.source.crumb !== undefined
}

/** A tool that lives in the store has no file that could be signed. */
function judgeStored(tool: Tool, isRequired: boolean): void {
  if (!isRequired) return
  throw new ToolError('TRUST_UNSIGNED', `${tool.id} was made as a breadcrumb, so nobody signed it.`, {
    hint: 'Put it into a file under crumbs/ and sign that, or set trust: warn in toolcrib.yaml.',
  })
}

/** Why a tool of this trust does not run; undefined when it does. */
export function trustRefusal(tool: Tool, verdict: Trust, isRequired: boolean): ToolError | undefined {
  if (verdict.status !== 'tampered' && (!isRequired || isVouched(verdict))) return undefined
  const where = tool.source.file
  const why = verdict.reason ? `: ${verdict.reason}` : ''
  if (verdict.status === 'tampered') {
    return new ToolError('TRUST_TAMPERED', `${tool.id} (${where}) was changed after it was signed${why}.`, {
      hint: `If the change is yours, sign it again: \`toolcrib sign ${tool.id}\`.`,
    })
  }
  if (verdict.status === 'untrusted') {
    return new ToolError(
      'TRUST_UNTRUSTED',
      `${tool.id} (${where}) is signed by a key you do not trust${why}.`,
      { hint: 'If you trust its owner: `toolcrib keys trust <key file>`.' },
    )
  }
  return new ToolError('TRUST_UNSIGNED', `${tool.id} (${where}) is not signed${why}.`, {
    hint: `Sign it: \`toolcrib sign ${tool.id}\`, or set trust: warn in toolcrib.yaml.`,
  })
}
