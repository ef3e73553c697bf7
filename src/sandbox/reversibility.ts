// Can what a tool does be taken back? Told by what it is let do and by where it runs, never by what its definition says
// of itself.
import type { Config } from '../config/config.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import { effectPolicyOf, namedGrants } from './tool-grants.ts'

/** From harmless to final: `toolcrib undo` takes back what is `reversible`; `external` leaves this machine. */
export const reversibilities = ['read-only', 'reversible', 'external', 'irreversible'] as const
export type Reversibility = (typeof reversibilities)[number]

/** Runtimes behind the fence, whose writes are held on a layer. */
const layered = new Set(['deno', 'rye-worker', 'rye-process', 'rye-filesystem', 'command', 'skill'])
/** Those that only answer from what the crib knows. */
const answering = new Set(['builtin', 'read-skill'])
/** Those that speak to somebody else. */
const reaching = new Set(['rye-http', 'openapi', 'agent'])

export function reversibilityOf(tool: Tool, config: Config): Reversibility {
  if (tool.runtime === null || answering.has(tool.runtime.name)) return 'read-only'
  if (reaching.has(tool.runtime.name)) return 'external'
  const rights = [...(tool.requires ?? config.grants.default), ...namedGrants(tool, config)].map(
    (grant) => parseGrant(grant).capability,
  )
  const may = (capability: string) => rights.some((right) => coversCapability(right, capability))
  const server = planOf(tool, 'mcp')?.server
  // A server of this machine writes to the files themselves.
  if (server) return server.transport === 'stdio' && may('fs.write') ? 'irreversible' : 'external'
  const isInHost = tool.runtime.name === 'skill' && config.skills.host !== 'never'
  if (isInHost || !layered.has(tool.runtime.name)) return 'irreversible'
  if (may('fs.write') && effectPolicyOf(tool, config.effects) === 'direct') return 'irreversible'
  if (may('net.http') || may('net.call')) return 'external'
  return may('fs.write') ? 'reversible' : 'read-only'
}
