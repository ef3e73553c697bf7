// The library: `import { openCrib } from 'toolcrib'`.
export { findCrib } from './config/find-root.ts'

import { type Crib as BareCrib, type CribOptions, openCrib as openBareCrib } from './crib/open-crib.ts'
import type { Served, ServeOptions } from './surfaces/http/serve-crib.ts'
import type { StdioOptions, StdioServed } from './surfaces/mcp/serve-stdio.ts'

/** An open crib that can also be served. */
export type Crib = BareCrib & {
  /**
   * Serves the crib over HTTP and MCP until it or the server is closed.
   *
   * @example
   * await using crib = await openCrib({ root: '.' })
   * const { url, token } = await crib.serve({ port: 0 })
   */
  serve(options?: ServeOptions): Promise<Served>
  /**
   * Serves the crib as an MCP server on stdin and stdout until its client leaves.
   *
   * @example
   * await using crib = await openCrib({ root: '.' })
   * await (await crib.serveStdio()).ended
   */
  serveStdio(options?: StdioOptions): Promise<StdioServed>
}

/**
 * Opens a crib: one checked catalog of every tool under `root`, ready to be called.
 *
 * @example
 * await using crib = await openCrib({ root: '.' })
 * const outcome = await crib.call('utility/hello', { name: 'Ada' })
 */
export async function openCrib(options: CribOptions = {}): Promise<Crib> {
  const crib = await openBareCrib(options)
  const servers: Served[] = []
  const closeCrib = crib.close.bind(crib)
  return Object.assign(crib, {
    async serve(serveOptions?: ServeOptions): Promise<Served> {
      const { serveCrib } = await import('./surfaces/http/serve-crib.ts')
      const served = await serveCrib(crib, serveOptions)
      servers.push(served)
      return served
    },
    async serveStdio(options?: StdioOptions): Promise<StdioServed> {
      const { serveStdio } = await import('./surfaces/mcp/serve-stdio.ts')
      return serveStdio(crib, options)
    },
    async close(): Promise<void> {
      await Promise.all(servers.map((served) => served.close()))
      await closeCrib()
    },
  })
}

export type { DryRun, FunctionTool } from './crib/crib.ts'
export type { CribOptions } from './crib/open-crib.ts'
export type { Plugin, PluginFormat } from './crib/plugin.ts'
export type { Format, Parsed, Place, Read, Unit } from './formats/format.ts'
export type { Check, Wrapper } from './kernel/stages.ts'
export type { Attempt, LateRuntime, Runtime, RuntimeEnv } from './runtimes/runtime.ts'
export type { Served, ServeOptions } from './surfaces/http/serve-crib.ts'
export type { StdioOptions, StdioServed } from './surfaces/mcp/serve-stdio.ts'
export type { Exporter } from './tool/exporter.ts'
export type { LogLine, Outcome, Progress } from './tool/outcome.ts'
export type { RuntimePlans } from './tool/plans/runtime-plans.ts'
export { makePrincipal, type Principal } from './tool/principal.ts'
export type { Problem } from './tool/problem.ts'
export { type JsonSchema, makeTool, type Tool } from './tool/tool.ts'
export { isToolError, ToolError } from './tool/tool-error.ts'
