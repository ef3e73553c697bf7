// Secrets as calls get them: all that a tool names, or a refusal that names every missing one.

import type { Config } from '../config/config.ts'
import { secretNamesOf } from '../guards/checks/secrets.ts'
import type { Call } from '../kernel/call.ts'
import { placeholderNames } from '../sandbox/reveal-secrets.ts'
import { defaultWorkspace } from '../store/crumb.ts'
import { isStoreFault } from '../store/store-error.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import { defaultOwner } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Secrets } from './secrets.ts'

/** The values of the secrets a tool names; throws SECRET_MISSING with all that are missing. */
export async function secretsOfCall(
  call: Call,
  secrets: Secrets,
  config: Config,
): Promise<{ [name: string]: string }> {
  const scope = { tool: call.tool.id, workspace: defaultWorkspace }
  const values: { [name: string]: string } = {}
  const missing: string[] = []
  for (const name of namesOf(call, config)) {
    const value = await released(() =>
      secrets.release(name, defaultOwner, { place: scope, by: call.tool.id, reason: 'required' }),
    )
    if (value === null) missing.push(name)
    else values[name] = value
  }
  if (missing.length === 0) return values
  throw new ToolError(
    'SECRET_MISSING',
    `${call.tool.id} needs the secret${missing.length > 1 ? 's' : ''} ${missing.join(', ')}.`,
    {
      hint: `Store ${missing.length > 1 ? 'them' : 'it'} with ${missing.map((name) => `\`toolcrib secrets set ${name}\``).join(', ')}.`,
      details: { missing },
    },
  )
}

/** What the tool and its cascade name, and what the operator gives it; tool-code asks for the latter when it wants it. */
function namesOf(call: Call, config: Config): readonly string[] {
  const { tool } = call
  const named = secretNamesOf(call)
  const given = config.tools[tool.id]
  if (!given || planOf(tool, 'deno')) return named
  return [...new Set([...named, ...(given.secrets ?? []), ...placeholderNames(given.placeholders)])]
}

/** A store of secrets that cannot be read is not the tool's failure. */
export async function released(read: () => Promise<string | null>): Promise<string | null> {
  try {
    return await read()
  } catch (error) {
    if (!isStoreFault(error)) throw error
    throw new ToolError('SECRETS_KEY_MISSING', error.message, { hint: error.hint })
  }
}
