// Why a call would be refused although the definition is in order: the same answers the guards give, without a call.
import type { Finding } from '../catalog/why.ts'
import type { Config } from '../config/config.ts'
import { missingBinaries } from '../runtimes/command/locate-binary.ts'
import { grantsFor, matchesTool, missingCapability } from '../sandbox/tool-grants.ts'
import { isCallableKind, type Tool, type Trust } from '../tool/tool.ts'
import type { ToolError } from '../tool/tool-error.ts'
import { capabilityDenied } from './grants.ts'
import { trustRefusal } from './trust.ts'

/** What stands between a sound definition and a call: trust, capabilities, a missing program, an approval to wait for. */
export function whyRefused(tool: Tool, config: Config, trust: Trust): Finding[] {
  if (!isCallableKind(tool.kind)) return []
  const errors: (ToolError | undefined)[] = []
  if (config.trust !== 'off' && tool.tier !== 'system')
    errors.push(
      trust.status === 'trusted' || trust.status === 'unchecked'
        ? undefined
        : trustRefusal(tool, trust, config.trust === 'require'),
    )
  const needed = [...(tool.requires ?? [])]
  const grants = grantsFor(tool, config)
  for (let missing = missingCapability(needed, grants); missing !== undefined; ) {
    errors.push(capabilityDenied(tool, missing, true))
    needed.splice(needed.indexOf(missing), 1)
    missing = missingCapability(needed, grants)
  }
  errors.push(...missingBinaries(tool))
  const pattern = config.approve.find((each) => matchesTool(each, tool))
  return [
    ...errors.flatMap((error) => (error ? [findingOf(error)] : [])),
    ...(pattern === undefined
      ? []
      : [
          {
            code: 'approval',
            message: `A person is asked before ${tool.id} runs: \`approve\` names "${pattern}".`,
            hint: `Answer in the console, or approve beforehand: \`toolcrib run ${tool.id} --approve\`.`,
          },
        ]),
  ]
}

function findingOf(error: ToolError): Finding {
  return { code: error.code, message: error.message, ...(error.hint ? { hint: error.hint } : {}) }
}
