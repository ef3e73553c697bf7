// An API of a crib as a person logs in to it by its name (U11).
import { apiLoginTarget, personsCredential } from '../runtimes/openapi/api-login.ts'
import type { LoginTarget } from '../runtimes/server-logins.ts'
import type { Profile } from '../sandbox/profile.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'

export interface ApiLoginParts {
  readonly tools: readonly Tool[]
  profileOf(tool: Tool): Promise<Profile>
  secret(name: string, reason: string): Promise<string | undefined>
}

/** Undefined where no API of this name has a page to log in at. */
export async function loginToApi(
  name: string,
  { tools, profileOf, secret }: ApiLoginParts,
): Promise<LoginTarget | undefined> {
  const found = personsCredential(tools, name)
  if (!found) return undefined
  const { secret: secretName } = found.credential
  const value = await secret(secretName, `for the log-in to ${name}`)
  const target = apiLoginTarget({ ...found, profile: await profileOf(found.tool), value })
  if (target) return target
  throw new ToolError(
    value === undefined ? 'SECRET_MISSING' : 'FORBIDDEN',
    value === undefined
      ? `The log-in to "${name}" needs a client: the secret ${secretName} is not there.`
      : `The secret ${secretName} is a token, so nobody has to log in to "${name}".`,
    {
      hint: `Store the client as \`id:password\`, or \`id:\` where it has no password: \`toolcrib secrets set ${secretName}\`.`,
      details: { missing: [secretName] },
    },
  )
}
