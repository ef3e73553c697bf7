// Names of the executor chain: short spellings, native primitives, and which tool types need no executor.
import type { RuntimePlans } from '../../tool/plans/runtime-plans.ts'
import type { RyePrimitive } from '../../tool/plans/rye-plan.ts'
import type { ToolKind } from '../../tool/tool.ts'

const runtimes = 'rye/core/runtimes'
const primitives = 'rye/core/primitives'

const shortNames: { readonly [name: string]: string } = {
  python_runtime: `${runtimes}/python/function`,
  python: `${runtimes}/python/function`,
  'python/function': `${runtimes}/python/function`,
  [`${runtimes}/python_function_runtime`]: `${runtimes}/python/function`,
  'python/script': `${runtimes}/python/script`,
  [`${runtimes}/python_script_runtime`]: `${runtimes}/python/script`,
  node_runtime: `${runtimes}/node/node`,
  'node/node': `${runtimes}/node/node`,
  [`${runtimes}/node_runtime`]: `${runtimes}/node/node`,
  bash: `${runtimes}/bash/bash`,
  [`${runtimes}/bash_runtime`]: `${runtimes}/bash/bash`,
  'mcp/http': `${runtimes}/mcp/http`,
  'mcp/stdio': `${runtimes}/mcp/stdio`,
  [`${runtimes}/mcp_http_runtime`]: `${runtimes}/mcp/http`,
  [`${runtimes}/mcp_stdio_runtime`]: `${runtimes}/mcp/stdio`,
  subprocess: `${primitives}/subprocess`,
  [`${primitives}/execute`]: `${primitives}/subprocess`,
  http_client: `${primitives}/http_client`,
  docker: `${primitives}/docker`,
  filesystem: `${primitives}/filesystem`,
}

export const bashRuntime = `${runtimes}/bash/bash`

/** The id a short name stands for. */
export function shortExecutor(name: string): string | undefined {
  return Object.hasOwn(shortNames, name) ? shortNames[name] : undefined
}

export const allExecutorNames: readonly string[] = Object.keys(shortNames)

const native: { readonly [id: string]: RyePrimitive } = {
  [`${primitives}/subprocess`]: 'subprocess',
  [`${primitives}/execute`]: 'subprocess',
  [`${primitives}/worker`]: 'worker',
  [`${primitives}/http_client`]: 'http_client',
  [`${primitives}/mcp_client`]: 'mcp_client',
  [`${primitives}/docker`]: 'docker',
  [`${primitives}/filesystem`]: 'filesystem',
}

/** The native primitive an entry of this id stands for. */
export function nativePrimitive(id: string): RyePrimitive | undefined {
  return Object.hasOwn(native, id) ? native[id] : undefined
}

export const runtimeNames: {
  readonly [primitive in RyePrimitive]: Extract<keyof RuntimePlans, `rye-${string}`>
} = {
  subprocess: 'rye-process',
  worker: 'rye-worker',
  http_client: 'rye-http',
  mcp_client: 'rye-mcp',
  docker: 'rye-docker',
  filesystem: 'rye-filesystem',
}

const kinds: { readonly [type: string]: ToolKind } = {
  runtime: 'runtime',
  primitive: 'primitive',
  library: 'library',
  mcp_server: 'server',
}

/** True where a null executor is in order. */
export function needsNoExecutor(type: string): boolean {
  return Object.hasOwn(kinds, type)
}

/** Types whose files only hold settings for others. */
export function isConfigType(type: string): boolean {
  return /^(config|config-schema|extractor|parser|processor)$|_provider$/.test(type)
}

/** What a tool of this type is to a caller. */
export function kindOf(type: string): ToolKind {
  if (Object.hasOwn(kinds, type)) return kinds[type]!
  return isConfigType(type) ? 'library' : 'callable'
}
