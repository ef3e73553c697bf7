// Secrets of a tool that runs as a process: variables of that process alone. A name under `placeholders` is held only
// as `{{secret:NAME}}`, and the value stays with the proxy that carries the tool's requests outside.
import type { Config } from '../config/config.ts'
import { parsePlaceholder, secretPlaceholder } from '../sandbox/reveal-secrets.ts'
import type { Attempt } from './runtime.ts'

export interface SecretVariables {
  /** What the process gets. */
  readonly env: { readonly [name: string]: string }
  /** What the egress proxy gets. */
  readonly proxied: { readonly [name: string]: string }
}

const none: SecretVariables = { env: {}, proxied: {} }

export function secretVariables(
  { tool, secrets = {} }: Pick<Attempt, 'tool' | 'secrets'>,
  config: Config,
): SecretVariables {
  const names = Object.keys(secrets)
  if (names.length === 0) return none
  const heldBack = config.tools[tool.id]?.placeholders ?? []
  const env: Record<string, string> = {}
  const proxied: Record<string, string> = {}
  for (const name of names) {
    const entry = heldBack.find((placeholder) => parsePlaceholder(placeholder).name === name)
    env[name] = entry === undefined ? secrets[name]! : secretPlaceholder(name)
    if (entry !== undefined) proxied[entry] = secrets[name]!
  }
  return { env, proxied }
}
