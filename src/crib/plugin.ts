// A plugin brings formats, runtimes, checks, wrappers and exporters. What ships is one too; the rest is given to
// `openCrib({ use })` or named in toolcrib.yaml. A broken one is a problem and leaves the others alone.
import { dirname, resolve } from 'node:path'
import type { Format, FormatEnv, Parsed, Read, ScannedFolder, Unit } from '../formats/format.ts'
import type { Call } from '../kernel/call.ts'
import type { Check, Wrapper } from '../kernel/stages.ts'
import { runtimes } from '../runtimes/registry.ts'
import type { LateRuntime, Runtime } from '../runtimes/runtime.ts'
import type { Exporter } from '../tool/exporter.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { isToolError, messageOf, ToolError } from '../tool/tool-error.ts'

/** A format of a plugin: what follows from where a file lies may be left out. */
export interface PluginFormat extends Omit<Format, 'units' | 'parse' | 'files' | 'home' | 'enclosure'> {
  units(scanned: ScannedFolder, env: FormatEnv): readonly (Pick<Unit, 'files'> & Partial<Unit>)[]
  parse(
    unit: Unit,
    read: Read,
    env: FormatEnv,
  ): Partial<Omit<Parsed, 'tools'>> & { readonly tools?: readonly (Pick<Tool, 'id'> & Partial<Tool>)[] }
  /**
   * Files that belong to a tool beside the one that defines it, absolute or from that one's folder: the lock file
   * and signatures cover them too.
   */
  files?(tool: Tool): readonly string[]
  /** Names or paths of programs that its definition starts: the lock file holds what they are. */
  programs?(tool: Tool): readonly string[]
}

export interface Plugin {
  readonly name: string
  readonly formats?: readonly PluginFormat[]
  readonly runtimes?: readonly (Runtime | LateRuntime)[]
  readonly checks?: readonly Check[]
  readonly wrappers?: readonly Wrapper[]
  readonly exporters?: readonly Exporter[]
}

/** The pieces of all plugins that were sound, what ships first. */
export interface Pieces {
  /** What ships is loaded by the first who needs it: a crib known from the last time lists without it. */
  formats(): Promise<readonly Format[]>
  /** Of files that only the plugins read. */
  readonly endings: readonly string[]
  readonly runtimes: readonly (Runtime | LateRuntime)[]
  readonly parts: readonly (Check | Wrapper)[]
  readonly exporters: readonly Exporter[]
  readonly problems: readonly Problem[]
  /** Changes with the plugins, so that nothing is remembered across a change of them. */
  readonly stamp: string
}

/** A plugin as it was given, with where it comes from. */
export interface GivenPlugin {
  readonly given: unknown
  readonly file?: string
  /** Stands for its content. */
  readonly stamp?: string
}

/** What each piece must have to be used at all. */
const musts = {
  formats: ['units', 'parse'],
  runtimes: ['run', 'open'],
  checks: ['check'],
  wrappers: ['wrap'],
  exporters: ['definition'],
} as const

type Kind = keyof typeof musts
const kinds = Object.keys(musts) as Kind[]
/** Names that ship and that no plugin may take. Formats and exporters are known before they are loaded; a test holds both to their lists. */
export const taken: { readonly [kind in Kind]: readonly string[] } = {
  formats: ['builtin', 'skill', 'rye', 'tool-code', 'tools-json', 'mcp', 'openapi'],
  runtimes: runtimes.map(({ name }) => name),
  checks: [],
  wrappers: [],
  exporters: ['mcp', 'openai', 'openai-responses', 'anthropic', 'ollama', 'ai-sdk', 'gemini'],
}

/** Puts the pieces of what ships and of these plugins together. */
export function piecesOf(plugins: readonly GivenPlugin[], earlier: readonly Problem[] = []): Pieces {
  const problems: Problem[] = [...earlier]
  const used: Plugin[] = []
  for (const { given, file } of plugins) {
    const fault = faultOf(given, used)
    if (fault === undefined) used.push(given as Plugin)
    else problems.push(pluginProblem(nameOf(given), fault, file))
  }
  const all = <K extends Kind>(kind: K) =>
    used.flatMap((plugin) => (plugin[kind] ?? []) as readonly NonNullable<Plugin[K]>[number][])
  return {
    formats: async () => [
      ...(await import('../formats/registry.ts')).formats,
      ...all('formats').map(completing),
    ],
    endings: all('formats').flatMap(({ endings = [] }) => endings),
    runtimes: [...runtimes, ...all('runtimes')],
    parts: [...all('checks').map(refusing), ...all('wrappers')],
    exporters: all('exporters'),
    problems,
    stamp: plugins.map(({ given, stamp }) => `${nameOf(given)}:${stamp ?? ''}`).join(),
  }
}

export function pluginProblem(name: string, fault: string, file?: string): Problem {
  return {
    code: 'plugin-invalid',
    severity: 'error',
    message: `The plugin ${name} is not used: ${fault}.`,
    hint: 'See docs/extending.md for what a plugin is made of.',
    ...(file === undefined ? {} : { file, line: 1 }),
  }
}

function nameOf(given: unknown): string {
  return isPlainObject(given) && typeof given['name'] === 'string' ? given['name'] : 'without a name'
}

function faultOf(given: unknown, used: readonly Plugin[]): string | undefined {
  if (!isPlainObject(given) || typeof given['name'] !== 'string' || given['name'] === '')
    return 'it is no object with a name'
  if (used.some(({ name }) => name === given['name'])) return 'another plugin has the same name'
  const odd = Object.keys(given).find((key) => key !== 'name' && !(key in musts))
  if (odd !== undefined) return `"${odd}" is nothing a plugin brings (it brings ${kinds.join(', ')})`
  for (const kind of kinds) {
    const fault = faultOfPieces(kind, given[kind], used)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOfPieces(kind: Kind, given: unknown, used: readonly Plugin[]): string | undefined {
  if (given === undefined) return undefined
  if (!Array.isArray(given)) return `${kind} is no list`
  const names = new Set([
    ...taken[kind],
    ...used.flatMap((plugin) => (plugin[kind] ?? []).map(({ name }) => name)),
  ])
  for (const piece of given as unknown[]) {
    if (typeof piece !== 'object' || piece === null) return `one of its ${kind} is no object`
    const fields = piece as { readonly [key: string]: unknown }
    const { name } = fields
    if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name))
      return `one of its ${kind} has no name of lower-case letters, digits and hyphens`
    if (names.has(name)) return `there are ${kind} called "${name}" already`
    names.add(name)
    const has = (method: string) => typeof fields[method] === 'function'
    const missing = musts[kind].filter((method) => !has(method))
    const isShort = kind === 'runtimes' ? missing.length === 2 : missing.length > 0
    if (isShort) return `"${name}" of its ${kind} has no function ${missing.join(' or ')}`
    if (kind === 'formats' && typeof fields['rank'] !== 'number') return `the format "${name}" has no rank`
  }
  return undefined
}

/** A plugin states only what it read: the rest of a unit and of a tool is filled in. */
function completing(format: PluginFormat): Format {
  const completed: Format = Object.create(format)
  return Object.assign(completed, {
    units: (scanned: ScannedFolder, env: FormatEnv) =>
      format
        .units(scanned, env)
        .map((unit): Unit => ({ isCertain: true, ...unit, format: format.name, scanned })),
    parse: (unit: Unit, read: Read, env: FormatEnv): Parsed => {
      const { file, digest } = read(unit.files[0]!)
      const { tools = [], problems = [], ...rest } = format.parse(unit, read, env)
      const source = { file, digest, line: 1, files: [file] }
      return {
        ...rest,
        problems,
        tools: tools.map((given) => {
          const tool = makeTool({ tier: unit.scanned.tier, source, ...given, format: format.name })
          const more = format.files?.(tool).map((path) => resolve(dirname(file), path)) ?? []
          const programs = format.programs?.(tool)
          const files = [...new Set([...(tool.source.files ?? [file]), ...more])]
          const details = programs ? { ...tool.details, programs } : tool.details
          return { ...tool, details, source: { ...tool.source, files } }
        }),
      }
    },
  })
}

/** What a check throws refuses the call, also where it is a plain error. It is asked where the arguments are known. */
function refusing(part: Check): Check {
  const refuse = (call: Call, error: unknown): never => {
    if (isToolError(error)) throw error
    throw new ToolError('TOOL_NOT_ALLOWED', `${call.tool.id}: ${messageOf(error)}`, {
      hint: `The check "${part.name}" of a plugin says so.`,
    })
  }
  const check = (call: Call) => {
    try {
      const pending = part.check(call)
      return pending instanceof Promise ? pending.catch((error) => refuse(call, error)) : pending
    } catch (error) {
      return refuse(call, error)
    }
  }
  return { needs: ['params'], judgesArgs: true, ...part, check }
}
