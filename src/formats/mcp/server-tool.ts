// A foreign server as an entry of the catalog.
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { makeTool, type Tier, type Tool } from '../../tool/tool.ts'

/** Why a server that its file switches off is not there. */
export const switchedOff = 'the file says so'

/** A server as an entry of the catalog: not callable, but there to be seen and asked about. */
export function serverTool(
  spec: McpServerSpec,
  {
    place,
    digest,
    tier,
    isOff,
  }: {
    readonly place: { readonly file: string; readonly line: number } | null
    readonly digest: string
    readonly tier: Tier
    readonly isOff: boolean
  },
): Tool {
  return makeTool({
    id: `mcp/${spec.name}`,
    description: `MCP server ${spec.transport === 'http' ? spec.url : [spec.command, ...(spec.args ?? [])].join(' ')}`,
    format: 'mcp',
    kind: 'server',
    tier,
    ...(isOff ? { state: 'disabled', reason: switchedOff } : {}),
    tags: [spec.name],
    limits: { ...spec.limits },
    // An entry counts when the user accepted it, and that opens its own address (D8).
    requires: null,
    source: { file: place?.file ?? null, digest, ...(place ? { line: place.line } : {}) },
    details: { server: spec },
  })
}

/** The spec of a server entry; undefined for every other tool. */
export function specOf(tool: Tool): McpServerSpec | undefined {
  const server = tool.details?.server
  return typeof server === 'object' ? server : undefined
}
