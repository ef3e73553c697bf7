// The servers a client knows, as entries of `.mcp.json`: what clients spell in their own ways is put into one.
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { Client } from './clients.ts'
import { serversIn } from './edit-servers.ts'
import { readClientFile } from './write-client-file.ts'

export interface FoundServer {
  readonly name: string
  readonly entry: JsonObject
  /** The file it stands in. */
  readonly file: string
  /** Secrets its entry names, which the client asked a person for. */
  readonly secrets: readonly string[]
}

/** Those of the project first, then the user's own; of one name the first counts. */
export function readServers(client: Client, root: string, home = homedir()): FoundServer[] {
  const files = [
    ...(client.project === undefined ? [] : [join(root, client.project)]),
    client.user(home, platform()),
  ]
  const found = new Map<string, FoundServer>()
  for (const file of files)
    for (const [name, given] of Object.entries(serversIn(readClientFile(file), client, file)))
      for (const server of foundServer(name, given, file)) if (!found.has(name)) found.set(name, server)
  return [...found.values()]
}

/** The server of an entry as clients write it; none for what cannot be started or reached. */
export function foundServer(name: string, given: JsonObject, file: string): FoundServer[] {
  const entry = plainEntry(given)
  if (!entry) return []
  const secrets = new Set<string>()
  return [{ name, entry: withSecrets(entry, secrets), file, secrets: [...secrets] }]
}

/** Undefined for what is no server that can be started or reached: built-in extensions, switched-off ones. */
function plainEntry(given: JsonObject): JsonObject | undefined {
  if (given['enabled'] === false || given['disabled'] === true) return undefined
  const { command, args, env, envs, cwd } = given
  const older = isPlainObject(command) ? (command as JsonObject) : undefined
  const url = given['url'] ?? given['serverUrl'] ?? given['httpUrl'] ?? given['uri']
  const token = given['bearer_token_env_var']
  const headers = {
    ...((given['headers'] ?? given['http_headers'] ?? {}) as JsonObject),
    ...(typeof token === 'string' ? { Authorization: `Bearer \${env:${token}}` } : {}),
  }
  if (typeof url === 'string')
    return {
      type: given['type'] === 'sse' ? 'sse' : 'http',
      url,
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
    }
  const program = older?.['path'] ?? given['cmd'] ?? command
  if (typeof program !== 'string' || program === '') return undefined
  const variables = (older?.['env'] ?? env ?? envs ?? {}) as JsonObject
  return {
    command: program,
    args: (older?.['args'] ?? args ?? []) as string[],
    ...(Object.keys(variables).length > 0 ? { env: variables } : {}),
    ...(typeof cwd === 'string' ? { cwd } : {}),
  }
}

/** `${input:api-key}` asks a person in the client; here it is a secret of the crib. */
function withSecrets(value: JsonObject, secrets: Set<string>): JsonObject {
  const text = JSON.stringify(value).replace(/\$\{input:([\w.-]+)\}/g, (_, id: string) => {
    const name = id.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()
    secrets.add(name)
    return `\${secret:${name}}`
  })
  return JSON.parse(text) as JsonObject
}
