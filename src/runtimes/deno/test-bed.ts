// A Deno runtime on real parts for the tests of this folder: real supervisor, real fence, real Deno, and a small
// store in memory that keeps its promises (owner, versions, filters).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, defaultConfig } from '../../config/config.ts'
import { spacesOf } from '../../config/spaces.ts'
import { formats } from '../../formats/registry.ts'
import { toolDocument } from '../../formats/tool-code/fixture.ts'
import { coversName } from '../../formats/tool-code/name-patterns.ts'
import { parseToolCode } from '../../formats/tool-code/parse-tool-code.ts'
import { makeProfile } from '../../sandbox/make-profile.ts'
import { type OpenFenceOptions, openFence } from '../../sandbox/open-fence.ts'
import { grantsFor } from '../../sandbox/tool-grants.ts'
import { asJson, type JsonObject } from '../../tool/json.ts'
import { onAbort } from '../../tool/on-abort.ts'
import type { Enforcement, LogLine, Outcome, Progress } from '../../tool/outcome.ts'
import { firstError } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData, ToolError, type ToolErrorData } from '../../tool/tool-error.ts'
import { ProtectedSet } from '../../trust/protected-set.ts'
import { Supervisor } from '../../workers/supervisor.ts'
import type { Runtime } from '../runtime.ts'
import type { Broker, BrokerSession, StoredCrumb } from './broker.ts'
import { denoRuntime } from './index.ts'

export interface RunResult {
  readonly value?: unknown
  readonly error?: ToolErrorData
  readonly logs: readonly LogLine[]
  readonly progress: readonly Progress[]
  readonly enforcement: Enforcement | undefined
}

export interface RunGiven {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly secrets?: { readonly [name: string]: string }
  readonly onLog?: (line: LogLine) => void
  readonly invoke?: (ref: string, args: unknown) => Promise<Outcome>
}

export interface TestBed {
  readonly runtime: Runtime
  readonly supervisor: Supervisor
  readonly store: MemoryStore
  run(tool: Tool, params?: unknown, given?: RunGiven): Promise<RunResult>
  close(): Promise<void>
}

export function openTestBed(
  overrides: Partial<Config> = {},
  mode: 'preferred' | 'off' = 'preferred',
  probe?: OpenFenceOptions['probe'],
): TestBed {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-deno-test-'))
  const config: Config = { ...defaultConfig, ...overrides }
  const spaces = spacesOf(root)
  const protectedSet = new ProtectedSet({ config, spaces, tools: [], formats })
  const supervisor = new Supervisor()
  const fence = openFence({ mode, project: root, probe })
  const store = new MemoryStore()
  const runtime = denoRuntime({ config, spaces, supervisor, fence, broker: store })
  let runs = 0
  return {
    runtime,
    supervisor,
    store,
    async run(tool, params = {}, given = {}) {
      const logs: LogLine[] = []
      const progress: Progress[] = []
      let enforcement: Enforcement | undefined
      const rest = () => ({ logs, progress, enforcement })
      const signal = given.signal ?? new AbortController().signal
      try {
        const value = await runtime.run({
          tool,
          params,
          args: params,
          runId: `run-${++runs}`,
          signal,
          onStop: (listener) => onAbort(signal, listener),
          timeoutMs: given.timeoutMs ?? tool.limits.timeoutMs ?? 30_000,
          profile: makeProfile(tool, grantsFor(tool, config), { config, spaces, protectedSet }),
          secrets: given.secrets ?? {},
          strict: false,
          log: (level, message, data) => {
            const line: LogLine = { level, message, atMs: 0, data }
            logs.push(line)
            given.onLog?.(line)
          },
          progress: (item) => progress.push(item),
          meta: () => {},
          enforced: (label) => {
            enforcement = label
          },
          invoke: given.invoke ?? (() => Promise.reject(new Error('no other tools here'))),
          call: {},
        })
        return { value, ...rest() }
      } catch (error) {
        return { error: errorData(error), ...rest() }
      }
    },
    async close() {
      await runtime.close?.()
      await supervisor.close()
      fence.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** A tool with this source; anything else of its context can be given. */
export function toolOf(source: string, context: Record<string, unknown> = {}): Tool {
  const { tool, problems } = parseToolCode(
    toolDocument({
      name: 'tried',
      code: { language: 'typescript', source },
      input_schema: {},
      output_schema: {},
      examples: [],
      ...context,
    }),
  )
  const fault = firstError(problems)
  if (!tool || fault) throw new Error(`the test's tool is not valid: ${fault?.message}`)
  return tool
}

/** Crumbs in memory, each session seeing only those of its owner. */
export class MemoryStore implements Broker {
  readonly crumbs = new Map<string, StoredCrumb>()
  readonly secrets = new Map<string, { id: string; name: string; value: string }>()
  readonly audit: string[] = []
  owner = 'local'
  config: JsonObject = {}

  async open(): Promise<BrokerSession> {
    const { crumbs, owner } = this
    const mine = (id: string) => {
      const crumb = crumbs.get(id)
      return crumb?.['owner_id'] === owner ? crumb : undefined
    }
    const find = (query: Parameters<BrokerSession['search']>[0]) =>
      [...crumbs.values()].filter(
        (crumb) =>
          crumb['owner_id'] === owner &&
          coversName(query.readable, crumb.schema_name) &&
          (query.schema_name === undefined || crumb.schema_name === query.schema_name) &&
          (query.tags ?? []).every((tag) => (crumb['tags'] as string[] | undefined)?.includes(tag)) &&
          (query.q === undefined || JSON.stringify(crumb).includes(query.q)),
      )
    const versionMatches = (id: string, version: number | undefined) => {
      const crumb = mine(id)
      if (!crumb) throw new ToolError('NOT_FOUND', `there is no breadcrumb ${id}`)
      if (version !== undefined && version !== crumb.version)
        throw new ToolError('VERSION_MISMATCH', `the current version is ${crumb.version}`)
      return crumb
    }
    return {
      owner,
      workspace: 'workspace:tools',
      request: {
        id: 'call-1',
        workspace: 'workspace:tools',
        agentId: owner,
        trigger_event: { schema_name: 'tool.request.v1' },
      },
      config: this.config,
      get: async (id) => mine(id),
      view: async (id) => {
        const crumb = mine(id)
        return crumb && ({ id, title: crumb['title'] ?? '', context: crumb.context } as JsonObject)
      },
      create: async (body) => {
        const id = `crumb-${crumbs.size + 1}`
        crumbs.set(id, { ...body, context: body['context'] ?? null, id, version: 1, owner_id: owner })
        return { id, version: 1 }
      },
      update: async (id, version, updates) => {
        const crumb = versionMatches(id, version)
        crumbs.set(id, { ...crumb, ...updates, version: crumb.version + 1 })
        return { id, version: crumb.version + 1 }
      },
      remove: async (id, version) => {
        versionMatches(id, version)
        crumbs.delete(id)
      },
      search: async (query) =>
        find(query)
          .slice(query.offset ?? 0, (query.offset ?? 0) + (query.limit ?? 100))
          .map(asJson),
      rank: async ({ nn, ...query }) =>
        find(query)
          .slice(0, nn)
          .map((crumb) => asJson({ ...crumb, score: 1 })),
      findSecret: async (idOrName) =>
        [...this.secrets.values()].find((secret) => secret.id === idOrName || secret.name === idOrName),
      readSecret: async (id, reason) => {
        this.audit.push(`${id}: ${reason}`)
        return this.secrets.get(id)!.value
      },
      noteSecret: (name, reason) => this.audit.push(`${name}: ${reason}`),
    }
  }
}
