// Named secrets must exist before anything runs; their values go to the execution only. A definition that nobody
// vouches for gets none by its own word (G19).
import type { Call } from '../../kernel/call.ts'
import type { Check } from '../../kernel/stages.ts'
import { namedVariables, refuseUsersVariables } from '../../runtimes/rye/named-variables.ts'
import { placeholderNames } from '../../sandbox/reveal-secrets.ts'
import { sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'

type Services = Pick<
  GuardServices,
  'config' | 'spaces' | 'setAside' | 'secretsOf' | 'isVouched' | 'declaredBy'
>

export function secrets(services: Services): Check {
  async function release(call: Call): Promise<void> {
    refuseUnvouched(call, services)
    call.secrets = await services.secretsOf(call)
  }

  function isGiven({ id }: Tool): boolean {
    const given = services.config.tools[id]
    return given?.secrets !== undefined || given?.placeholders !== undefined
  }

  return {
    name: 'secrets',
    stage: '$configure',
    applies: (tool, states) =>
      (tool.secrets?.length ?? 0) > 0 ||
      states('secrets') ||
      isGiven(tool) ||
      namedVariables(tool).length > 0,
    check(call) {
      refuseVariables(call.tool, services)
      return secretNamesOf(call).length > 0 || isGiven(call.tool) ? release(call) : undefined
    },
  }
}

/** Variables of the user's own `.env` are secrets that a rye definition names by their placeholders. */
function refuseVariables(tool: Tool, { spaces, setAside, isVouched }: Services): void {
  if (namedVariables(tool).length === 0 || isVouched(tool)) return
  refuseUsersVariables(tool, spaces, (file, bytes) => setAside.ofFile(file, sha256(bytes)) !== undefined)
}

/** Both who gets the value and who says so must be vouched for, unless the settings name tool and secret. */
function refuseUnvouched(call: Call, { config, isVouched, declaredBy }: Services): void {
  const { tool } = call
  const given = config.tools[tool.id]
  const settled = [...(given?.secrets ?? []), ...placeholderNames(given?.placeholders)]
  const open = secretNamesOf(call).filter((name) => !settled.includes(name))
  if (open.length === 0) return
  const isOwn = open.every((name) => tool.secrets?.includes(name))
  const unvouched = [tool, ...(isOwn ? [] : [declaredBy(tool, 'secrets')])].find((one) => !isVouched(one))
  if (unvouched) throw unvouchedSecrets(tool, unvouched, open)
}

function unvouchedSecrets(tool: Tool, unvouched: Tool, names: readonly string[]): ToolError {
  const many = names.length > 1
  const named = `${tool.id} wants the secret${many ? 's' : ''} ${names.join(', ')}`
  const { file } = unvouched.source
  const accept =
    file === null
      ? 'Pin it with `toolcrib lock`'
      : `Read ${file}, then accept it with \`toolcrib trust\`, or sign it with \`toolcrib sign ${unvouched.id}\``
  const setting = `tools: { ${JSON.stringify(tool.id)}: { secrets: [${names.join(', ')}] } }`
  return new ToolError('SECRET_MISSING', `${named}, and nobody vouches for ${unvouched.id}.`, {
    hint: `${accept}. Or give it ${many ? 'these secrets' : 'this secret'} alone, in toolcrib.yaml: ${setting}.`,
    details: { unvouched: unvouched.id, secrets: [...names] },
  })
}

/** The secrets that a tool and its cascade name. */
export function secretNamesOf({ tool, metadata }: Call): readonly string[] {
  const own = tool.secrets ?? []
  const stated = metadata['secrets']
  if (stated === undefined || stated === null) return own
  return [...new Set([...own, ...[stated].flat().filter((name) => typeof name === 'string')])]
}
