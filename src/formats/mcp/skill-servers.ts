// Servers that skills bring along: `metadata.mcp` maps names to a command or a url. They join those of
// `.mcp.json` and come after them.
import type { TrustMode } from '../../config/config.ts'
import { isPlainObject, jsonDigest } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Parsed } from '../format.ts'
import { isFault, readServerSpec } from './server-spec.ts'
import { serverTool } from './server-tool.ts'

/** The servers of all skills, in their order; of two with the same name the first counts. */
export function skillServers(skills: readonly Tool[], trust: TrustMode): Parsed {
  const tools = new Map<string, Tool>()
  const problems: Problem[] = []
  for (const skill of skills) {
    const given = serversOf(skill)
    if (skill.state !== 'available' || given === undefined || skill.source.file === null) continue
    const { lines } = skill.details ?? {}
    const place = { file: skill.source.file, line: lines?.['mcp'] ?? 1 }
    for (const [name, entry] of Object.entries(given)) {
      const spec = readServerSpec(name, entry, false)
      if (isFault(spec)) {
        const { message, hint } = spec
        problems.push({
          code: 'mcp-server-invalid',
          severity: 'error',
          message,
          hint,
          ...place,
          toolId: skill.id,
        })
      } else if (!tools.has(name)) {
        const server = serverTool(spec, { place, digest: jsonDigest(spec), tier: skill.tier, isOff: false })
        tools.set(name, { ...server, trust: skill.trust, ...refusal(skill, trust) })
      }
    }
  }
  return { tools: [...tools.values()], problems }
}

/** A server is started to be listed, so that one of a file that must not run is switched off. */
function refusal({ id, trust: { status } }: Tool, mode: TrustMode): Pick<Tool, 'state' | 'reason'> | object {
  const isRefused = mode === 'require' ? status !== 'trusted' : mode === 'warn' && status === 'tampered'
  return isRefused ? { state: 'disabled', reason: `the skill ${id}, which brings it, is ${status}` } : {}
}

function serversOf(skill: Tool): { readonly [name: string]: unknown } | undefined {
  const given = skill.details?.skill ? skill.details.metadata?.['mcp'] : undefined
  return isPlainObject(given) ? given : undefined
}
