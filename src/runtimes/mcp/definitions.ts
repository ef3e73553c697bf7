// What foreign servers offer, as tools: made from their answers, which are remembered on disk, so that listing a
// crib twice does not start every server twice. Nothing here contacts a server.
import { join } from 'node:path'
import type { Tool as McpTool } from '@modelcontextprotocol/client'
import { readCacheFile, writeCacheFile } from '../../catalog/unit-results.ts'
import type { Spaces } from '../../config/spaces.ts'
import { specOf } from '../../formats/mcp/index.ts'
import type { McpServerSpec } from '../../formats/mcp/server-spec.ts'
import { isPlainObject, type Json, type JsonObject, jsonDigest, sha256 } from '../../tool/json.ts'
import { mcpToolName, mcpToolUri } from '../../tool/mcp-name.ts'
import type { Problem } from '../../tool/problem.ts'
import { lintSchema } from '../../tool/schema/lint-schema.ts'
import { type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'

/** What one server said, or why it said nothing. */
export interface Discovered {
  readonly server: Tool
  readonly tools: readonly Tool[]
  readonly problem: Problem | undefined
  readonly askedAt: number
}

/** Makes tools of a server's answer and remembers the answer. */
export function rememberServer(server: Tool, listed: readonly McpTool[], spaces: Spaces): Discovered {
  const spec = specOf(server)!
  writeCacheFile(cacheFile(spaces, spec), jsonDigest(spec), listed)
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

function cacheFile(spaces: Spaces, spec: McpServerSpec): string {
  return join(spaces.state, 'cache', 'mcp', `${sha256(spec.name).slice(0, 16)}.json`)
}

function toolsFrom(server: Tool, spec: McpServerSpec, listed: readonly McpTool[]): Tool[] {
  return listed.map((definition) => toolFrom(server, spec, definition))
}

function toolFrom(server: Tool, spec: McpServerSpec, definition: McpTool): Tool {
  const id = mcpToolName(spec.name, definition.name)
  const params = schemaOf(definition.inputSchema) ?? { type: 'object' }
  const returns = schemaOf(definition.outputSchema) ?? null
  const problems = [
    ...schemaProblems(server, id, 'input', params),
    ...schemaProblems(server, id, 'output', returns),
  ]
  const title = definition.title ?? definition.annotations?.title
  return makeTool({
    id,
    name: id,
    ...(title ? { title } : {}),
    description: definition.description ?? '',
    format: 'mcp',
    tier: server.tier,
    aliases: [`${spec.name}/${definition.name}`],
    params,
    returns,
    requires: server.requires,
    limits: spec.timeoutMs === undefined ? {} : { timeoutMs: spec.timeoutMs },
    tags: [spec.name],
    source: { ...server.source, digest: jsonDigest(definition) },
    runtime: { name: 'mcp', plan: { server: spec as unknown as JsonObject, tool: definition.name } },
    trust: server.trust,
    problems,
    extra: {
      server: spec.name,
      uri: mcpToolUri(spec.name, definition.name),
      ...(definition.annotations ? { annotations: definition.annotations as Json } : {}),
    },
  })
}

function schemaOf(given: unknown): JsonSchema | undefined {
  return isPlainObject(given) ? (given as JsonSchema) : undefined
}

function schemaProblems(server: Tool, toolId: string, which: string, schema: JsonSchema | null): Problem[] {
  return (schema ? lintSchema(schema) : []).slice(0, 1).map((finding) => ({
    code: 'mcp-schema-invalid',
    severity: 'error',
    message: `The ${which} schema of ${toolId} is not valid at ${finding.pointer || 'its root'}: ${finding.message}.`,
    hint: 'The server must mend it.',
    ...(server.source.file ? { file: server.source.file, line: server.source.line ?? 1 } : {}),
    toolId,
  }))
}
