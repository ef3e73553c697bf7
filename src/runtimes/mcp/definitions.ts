// What foreign servers offer, as entries of the catalog: made from their answers, which are remembered on disk, so that
// listing a crib twice does not start every server twice. Nothing here contacts a server.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readCacheFile, writeCacheFile } from '../../catalog/unit-results.ts'
import type { Spaces } from '../../config/spaces.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { jsonDigest, sha256 } from '../../tool/json.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import type { Problem } from '../../tool/problem.ts'
import { hintFor } from '../../tool/problem-hints.ts'
import type { Tool } from '../../tool/tool.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { entriesFrom, type Heard } from './entries-from.ts'

/** What one server said, or why it said nothing. */
export interface Discovered {
  readonly server: Tool
  readonly tools: readonly Tool[]
  readonly problem: Problem | undefined
  /** What is missing of what it said. */
  readonly gaps?: readonly Problem[]
  readonly askedAt: number
  /** It said nothing in the time it had, so what it said before may still be right. */
  readonly isSilent?: boolean
}

/** Makes entries of a server's answer and remembers the answer. */
export function rememberServer(server: Tool, heard: Heard, spaces: Spaces): Discovered {
  const spec = specOf(server)!
  writeCacheFile(cacheFile(spaces, spec), cacheKey(spec), heard)
  rmSync(silenceFile(spaces, spec), { force: true })
  return discoveredIn(server, heard, Date.now())
}

/** What a server said the last time, when its entry has not changed since. */
export function recallServer(server: Tool, spaces: Spaces): Discovered | undefined {
  const spec = specOf(server)!
  const kept = readCacheFile<Heard>(cacheFile(spaces, spec), cacheKey(spec))
  return kept ? discoveredIn(server, kept.data, kept.savedAt) : undefined
}

function discoveredIn(server: Tool, heard: Heard, askedAt: number): Discovered {
  const { name } = specOf(server)!
  const gaps = (heard.missing ?? []).map((what) => ({
    ...serverProblem(server, `The MCP server "${name}" is offered in part: ${what}.`, undefined),
    code: 'mcp-list-incomplete',
    severity: 'warning' as const,
    hint: hintFor('mcp-list-incomplete'),
  }))
  return { server, tools: entriesFrom(server, heard), problem: undefined, gaps, askedAt }
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

/** A server that says nothing before somebody has logged in (U5). */
export function loginNeeded(server: Tool, message: string, hint: string | undefined): Problem {
  return { ...serverProblem(server, message, hint), code: 'mcp-login-needed', severity: 'warning' }
}

function silenceFile(spaces: Spaces, spec: McpServerSpec): string {
  return cacheFile(spaces, spec).replace(/json$/, 'silent.json')
}

/** Another one for each way in which answers were ever kept. */
function cacheKey(spec: McpServerSpec): string {
  return jsonDigest(['lists with instructions', spec])
}

function cacheFile(spaces: Spaces, spec: McpServerSpec): string {
  return join(spaces.state, 'cache', 'mcp', `${sha256(spec.name).slice(0, 16)}.json`)
}
