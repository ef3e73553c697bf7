// The library: `import { openCrib } from 'toolcrib'`.
export { findCrib } from './config/find-root.ts'

import { type CribOptions as BareOptions, openCrib as openBareCrib } from './crib/open-crib.ts'
import type { Served, ServeOptions } from './surfaces/http/serve-crib.ts'
import type { Crib } from './surfaces/library/crib-surface.ts'
import type { StdioOptions } from './surfaces/mcp/serve-stdio.ts'

export interface CribOptions extends BareOptions {
  /** Asks the foreign servers for their tools, once, so that `list()` has everything; default: true. */
  readonly discover?: boolean
}

/**
 * Opens a crib: one checked catalog of every tool under `root`, ready to be called.
 *
 * @example
 * const crib = await openCrib({ root: '.' })
 * const outcome = await crib.call('utility/hello', { name: 'Ada' })
 * await crib.close()
 */
export async function openCrib({ discover = true, ...options }: CribOptions = {}): Promise<Crib> {
  const crib = await openBareCrib(options)
  const servers: Served[] = []
  const closeCrib = crib.close.bind(crib)
  const opened = Object.assign(crib, {
    async serve(serveOptions?: ServeOptions): Promise<Served> {
      const { serveCrib } = await import('./surfaces/http/serve-crib.ts')
      const served = await serveCrib(crib, serveOptions)
      servers.push(served)
      return served
    },
    async serveStdio(options?: StdioOptions) {
      const { serveStdio } = await import('./surfaces/mcp/serve-stdio.ts')
      return serveStdio(crib, options)
    },
    async close(): Promise<void> {
      await Promise.all(servers.map((served) => served.close()))
      await closeCrib()
    },
  })
  if (discover) await crib.discover()
  return opened as Crib
}

export type { CallCribOptions, DryRun, FunctionTool } from './crib/crib.ts'
export type { Plugin, PluginFormat } from './crib/plugin.ts'
export type { Format, Parsed, Read, ScannedFolder, Unit } from './formats/format.ts'
export type { Check, Wrapper } from './kernel/stages.ts'
export type { Attempt, LateRuntime, Runtime, RuntimeEnv } from './runtimes/runtime.ts'
export type { Served, ServeOptions } from './surfaces/http/serve-crib.ts'
export type { Crib, TypedTool } from './surfaces/library/crib-surface.ts'
export type { FromSchema } from './surfaces/library/schema-types.ts'
export type { OutcomeOf, ToolTypes } from './surfaces/library/tool-types.ts'
export type { StdioOptions, StdioServed } from './surfaces/mcp/serve-stdio.ts'
export type { Exporter } from './tool/exporter.ts'
export type { LogLine, Outcome, Progress } from './tool/outcome.ts'
export type { RuntimePlans } from './tool/plans/runtime-plans.ts'
export { makePrincipal, type Principal } from './tool/principal.ts'
export type { Problem } from './tool/problem.ts'
export type { StandardSchema } from './tool/standard-schema.ts'
export { type JsonSchema, makeTool, type Tool } from './tool/tool.ts'
export { isToolError, ToolError } from './tool/tool-error.ts'
