// What foreign servers offer, as tools: made from their answers, which are remembered on disk, so that listing a
// crib twice does not start every server twice. Nothing here contacts a server.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool as McpTool } from '@modelcontextprotocol/client'
import { readCacheFile, writeCacheFile } from '../../catalog/unit-results.ts'
import type { Spaces } from '../../config/spaces.ts'
import { isUnreadable } from '../../formats/mcp/judged-schema.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { isPlainObject, type JsonObject, jsonDigest, sha256 } from '../../tool/json.ts'
import { formerMcpToolName, mcpToolName, mcpToolUri } from '../../tool/mcp-name.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import type { Problem } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'
import type { RuntimeEnv } from '../runtime.ts'

/** What one server said, or why it said nothing. */
export interface Discovered {
  readonly server: Tool
  readonly tools: readonly Tool[]
  readonly problem: Problem | undefined
  readonly askedAt: number
  /** It said nothing in the time it had, so what it said before may still be right. */
  readonly isSilent?: boolean
}

/** Makes tools of a server's answer and remembers the answer. */
export function rememberServer(server: Tool, listed: readonly McpTool[], spaces: Spaces): Discovered {
  const spec = specOf(server)!
  writeCacheFile(cacheFile(spaces, spec), jsonDigest(spec), listed)
  rmSync(silenceFile(spaces, spec), { force: true })
  return { server, tools: toolsFrom(server, spec, listed), problem: undefined, askedAt: Date.now() }
}

/** What a server said the last time, when its entry has not changed since. */
export function recallServer(server: Tool, spaces: Spaces): Discovered | undefined {
  const spec = specOf(server)!
  const kept = readCacheFile<readonly McpTool[]>(cacheFile(spaces, spec), jsonDigest(spec))
  return kept
    ? { server, tools: toolsFrom(server, spec, kept.data), problem: undefined, askedAt: kept.savedAt }
    : undefined
}

/**
 * Lets the next process know that a server was silent a moment ago, as it was asked on this `footing`. Only the first
 * line is kept: the others are what the server wrote.
 */
export function rememberSilence(server: Tool, problem: Problem, footing: unknown, spaces: Spaces): void {
  const spec = specOf(server)!
  writeCacheFile(silenceFile(spaces, spec), jsonDigest([spec, footing]), problem.message.split('\n', 1)[0])
}

/** The silence of a server that would be asked in the same way now, unless that is longer ago than `maxAgeMs`. */
export function recallSilence(
  server: Tool,
  footing: unknown,
  spaces: Spaces,
  maxAgeMs: number,
): Discovered | undefined {
  const spec = specOf(server)!
  const kept = readCacheFile<string>(silenceFile(spaces, spec), jsonDigest([spec, footing]))
  const ageMs = kept ? Date.now() - kept.savedAt : Number.NaN
  if (!kept || !(ageMs >= 0 && ageMs < maxAgeMs)) return undefined
  const hint = `That was ${Math.ceil(ageMs / 1000)} s ago; it is asked again after ${maxAgeMs / 1000} s, or now with \`toolcrib list --refresh\`.`
  const problem = serverProblem(server, kept.data, hint)
  return { server, tools: [], problem, askedAt: kept.savedAt, isSilent: true }
}

/** What a silence depends on besides the server's entry: its rights, and how long it had. */
export function footingOf(profile: Profile, env: Pick<RuntimeEnv, 'config'>): unknown {
  return [profile, env.config.mcp.listTimeoutMs, env.config.env.expose]
}

/** A failure of a server as a problem at its entry. */
export function serverProblem(server: Tool, message: string, hint: string | undefined): Problem {
  return {
    code: 'mcp-server-failed',
    severity: 'error',
    message,
    hint: hint ?? hintFor('mcp-server-failed'),
    ...(server.source.file ? { file: server.source.file, line: server.source.line ?? 1 } : {}),
    toolId: server.id,
  }
}

function silenceFile(spaces: Spaces, spec: McpServerSpec): string {
  return cacheFile(spaces, spec).replace(/json$/, 'silent.json')
}

function cacheFile(spaces: Spaces, spec: McpServerSpec): string {
  return join(spaces.state, 'cache', 'mcp', `${sha256(spec.name).slice(0, 16)}.json`)
}

function toolsFrom(server: Tool, spec: McpServerSpec, listed: readonly McpTool[]): Tool[] {
  const taken = new Set(listed.map(({ name }) => `${spec.name}-${name}`))
  return listed.map((definition) => {
    const whole = `${spec.name}-${definition.name}`
    const name = mcpToolName(spec.name, definition.name)
    if (name === whole) return toolFrom(server, definition, name)
    // Of two names that become one, the one that had to be changed is told apart by its digest.
    const free = taken.has(name) ? `${name.slice(0, 55)}-${sha256(whole).slice(0, 8)}` : name
    taken.add(free)
    return toolFrom(server, definition, free)
  })
}

function toolFrom(server: Tool, definition: McpTool, id: string): Tool {
  const spec = specOf(server)!
  const params = schemaOf(definition.inputSchema) ?? { type: 'object' }
  const returns = schemaOf(definition.outputSchema) ?? null
  const former = formerMcpToolName(spec.name, definition.name)
  const { name, description, inputSchema, outputSchema, annotations, ...more } = definition
  const title = textOr(definition.title, undefined) ?? textOr(annotations?.title, undefined)
  return makeTool({
    id,
    name: id,
    title,
    description: textOr(description, ''),
    format: 'mcp',
    tier: server.tier,
    aliases: [...(former === id ? [] : [former]), `${spec.name}/${name}`],
    params,
    returns,
    requires: server.requires,
    limits: spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs },
    tags: [spec.name],
    source: { ...server.source, digest: jsonDigest(definition) },
    runtime: { name: 'mcp', plan: { server: spec, tool: name } },
    trust: server.trust,
    problems: [
      ...schemaProblems(server, id, 'input', params),
      ...schemaProblems(server, id, 'output', returns),
    ],
    details: {
      server: spec.name,
      uri: mcpToolUri(spec.name, name),
      annotations: isPlainObject(annotations) ? (annotations as JsonObject) : undefined,
      formerId: former === id ? undefined : former,
      more: more as JsonObject,
    },
  })
}

function textOr<Other>(given: unknown, other: Other): string | Other {
  return typeof given === 'string' ? given : other
}

function schemaOf(given: unknown): JsonSchema | undefined {
  return isPlainObject(given) ? (given as JsonSchema) : undefined
}

/** An odd part of a schema is a note: the tool is offered as it came, and its server judges (U2a). */
function schemaProblems(server: Tool, toolId: string, which: string, schema: JsonSchema | null): Problem[] {
  return (schema ? lintSchema(schema) : []).slice(0, 1).map((finding) => ({
    code: 'mcp-schema-invalid',
    severity: isUnreadable(schema!) ? 'error' : 'warning',
    message: `The ${which} schema of ${toolId} is not valid at ${finding.pointer || 'its root'}: ${finding.message}.`,
    hint: 'Its server has to fix it; until then this part is not checked here.',
    ...(server.source.file ? { file: server.source.file, line: server.source.line ?? 1 } : {}),
    toolId,
  }))
}
