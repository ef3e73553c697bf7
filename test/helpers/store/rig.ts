// A store with engines and real calls: tools are functions behind the real kernel.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  OpenBreadcrumbs,
  type OpenBreadcrumbsOptions,
  type StartOptions,
} from '../../../src/crib/open-breadcrumbs.ts'
import { crumbBroker } from '../../../src/events/crumb-broker.ts'
import type { Call } from '../../../src/kernel/call.ts'
import { Kernel } from '../../../src/kernel/kernel.ts'
import type { BrokerSession } from '../../../src/runtimes/deno/broker.ts'
import type { Crumb } from '../../../src/store/crumb.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Json } from '../../../src/tool/json.ts'
import { makePrincipal, type Principal } from '../../../src/tool/principal.ts'
import type { ToolDetails } from '../../../src/tool/tool.ts'
import { makeTool, type Tool } from '../../../src/tool/tool.ts'
import { ToolError } from '../../../src/tool/tool-error.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

export type RigFunction = (input: never, session: BrokerSession, call: Call) => unknown

export interface RigTool {
  readonly fn: RigFunction
  /** What takes its time before the function is called. */
  load?(): Promise<void>
  readonly details?: ToolDetails
  readonly params?: Tool['params']
}

export const alice: Principal = makePrincipal({ surface: 'http', name: 'alice' })
export const bob: Principal = makePrincipal({ surface: 'http', name: 'bob' })
export const admin: Principal = makePrincipal({ surface: 'http', name: 'root', isAdmin: true })
export const stranger: Principal = makePrincipal({ surface: 'http', owner: 'elsewhere', name: 'eve' })

export class Rig {
  readonly clock: ManualClock
  readonly open: OpenBreadcrumbs
  readonly dir: string
  readonly logs: string[] = []
  readonly #tools: { [name: string]: RigTool }
  readonly #made = new WeakMap<RigTool, Tool>()
  readonly #kernel: Kernel

  constructor(
    tools: { [name: string]: RigTool } = {},
    options: Partial<OpenBreadcrumbsOptions> & { dir?: string; clock?: ManualClock } = {},
  ) {
    this.clock = options.clock ?? manualClock('2025-06-01T12:00:00Z')
    this.dir = options.dir ?? mkdtempSync(join(tmpdir(), 'crumbs-'))
    this.#tools = tools
    this.open = new OpenBreadcrumbs({
      store: options.store ?? openSqliteStore(join(this.dir, 'crib.db'), this.clock),
      keyFile: join(this.dir, 'keys', 'secrets.key'),
      tools: () => this.tools,
      log: (_level, message) => this.logs.push(message),
      ...options,
      clock: this.clock,
    })
    const broker = crumbBroker({ crumbs: this.open.crumbs, secrets: this.open.secrets })
    this.#kernel = new Kernel({
      parts: [
        {
          name: 'execute',
          stage: '$execute',
          wrap: async (call) => {
            const session = await broker.open({ tool: call.tool, params: call.params, runId: call.id, call })
            await this.#tools[call.tool.id]!.load?.()
            call.options.onBegun?.()
            return this.#tools[call.tool.id]!.fn(call.params as never, session, call)
          },
        },
      ],
      resolve: (ref) => {
        const tool = typeof ref === 'string' ? this.tools.find((one) => one.id === ref) : ref
        if (!tool) throw new ToolError('TOOL_NOT_FOUND', `There is no tool ${ref}.`)
        return tool
      },
    })
  }

  /** As a catalog has them: the same object as long as the tool is the same. */
  get tools(): Tool[] {
    return Object.entries(this.#tools).map(([id, given]) => {
      const known = this.#made.get(given)
      if (known) return known
      const { details, params } = given
      const tool = makeTool({
        id,
        format: 'tool-code',
        tier: 'project',
        version: '1.0.0',
        source: { file: null, digest: id },
        params: params ?? null,
        ...(details ? { details } : {}),
      })
      this.#made.set(given, tool)
      return tool
    })
  }

  get crumbs() {
    return this.open.crumbs
  }

  get store() {
    return this.open.store
  }

  invoke: StartOptions['invoke'] = (ref, args, options) => this.#kernel.invoke(ref, args, options)

  start(options: Partial<StartOptions> = {}) {
    return this.open.start({ bootstrap: false, schedules: 'off', invoke: this.invoke, ...options })
  }

  /** Waits until requests and subscriptions have nothing left to do. */
  async quiet(): Promise<void> {
    await this.clock.advance(0)
    await this.open.engines?.requests.idle()
    await this.open.engines?.subscriptions.idle()
    await this.clock.advance(0)
  }

  async all(schema: string): Promise<readonly Crumb[]> {
    return (await this.store.crumbs.list({ viewer: null, schema, limit: 1000 })).crumbs
  }

  async close(options: { keep?: boolean } = {}): Promise<void> {
    await this.open.close()
    await this.store.close()
    if (!options.keep) rmSync(this.dir, { recursive: true, force: true })
  }
}

/** A request crumb for a tool. */
export function requestFor(
  tool: string,
  input?: Json,
  more: { [key: string]: Json } = {},
): { [key: string]: Json } {
  return {
    title: `Run ${tool}`,
    schema_name: 'tool.request.v1',
    tags: ['tool:request', 'workspace:tools'],
    context: { tool, ...(input === undefined ? {} : { input }), ...more },
  }
}
