// Named secrets must exist before anything runs; their values go to the execution only.
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import type { GuardServices } from '../services.ts'

export function secrets(services: Pick<GuardServices, 'config' | 'secretsOf'>): Check {
  async function release(call: Call): Promise<void> {
    call.secrets = await services.secretsOf(call)
  }

  return {
    name: 'secrets',
    stage: '$configure',
    check(call) {
      const given = services.config.tools[call.tool.id]
      const isGiven = given?.secrets !== undefined || given?.placeholders !== undefined
      return secretNamesOf(call).length > 0 || isGiven ? release(call) : undefined
    },
  }
}

/** The secrets that a tool and its cascade name. */
export function secretNamesOf({ tool, metadata }: Call): readonly string[] {
  const own = tool.secrets ?? []
  const stated = metadata['secrets']
  if (stated === undefined || stated === null) return own
  return [...new Set([...own, ...[stated].flat().filter((name) => typeof name === 'string')])]
}
