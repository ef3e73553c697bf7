// An executor chain boiled down to what the runtimes need, as data. Static complaints about the configuration of
// the primitive are made here, where the merged configuration is known.
import { dirname, join, resolve } from 'node:path'
import { isFileInside } from '../../files/real-path.ts'
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type {
  RyeAnchor,
  RyeInterpreter,
  RyePlan,
  RyeServer,
  RyeVerifyDeps,
} from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { checkPrimitive, type PlanProblem } from './check-primitive.ts'
import { besideTool, findCodeFile, inspectCode, withGivenOut } from './code-file.ts'
import { bashRuntime } from './executors.ts'
import { factsOf, type RyeFacts } from './facts.ts'
import { extensionOf, isCodeFile } from './file-kinds.ts'
import type { CodeFacts } from './reading.ts'
import type { Chain, TierIndex } from './resolve-chain.ts'

export interface Planned {
  /** Null: there is nothing to run. */
  readonly plan: RyePlan | null
  readonly problems: readonly PlanProblem[]
  readonly requires: readonly string[] | null
  /** Files beside the defining one that belong to the tool. */
  readonly files: readonly string[]
}

export function makePlan(tool: Tool, chain: Chain, index: TierIndex): Planned {
  const problems: PlanProblem[] = []
  const facts = factsOf(tool)
  const toolFile = tool.source.file!
  const runtimes = runtimesOf(tool, chain, index)
  const runtime = runtimes[0] ?? null
  const runtimeFacts = runtimes.map(factsOf)
  const extensions = runtimeFacts.find((entry) => entry.extensions)?.extensions ?? null
  const isCode = isCodeFile(toolFile)
  const hasOwnCommand = typeof facts.config['command'] === 'string'
  if (isCode && extensions && !extensions.includes(extensionOf(toolFile)))
    problems.push({
      code: 'executor-language',
      field: 'executor_id',
      message: `${runtime!.id} runs ${extensions.join(', ')} files, and this is a ${extensionOf(toolFile)} file.`,
      hint: 'Name the runtime of this language.',
    })

  let codeFile = isCode ? toolFile : null
  if (!isCode && extensions) {
    const found = findCodeFile(toolFile, facts.ai, facts.config['script'], extensions)
    codeFile = found.file
    if (!codeFile && !hasOwnCommand)
      problems.push(
        noCode(found.refused ?? `there is no ${sibling(tool, extensions)} beside it and no config.command`),
      )
    else if (found.refused) problems.push(noCode(found.refused))
  }
  const ownCode = isCode ? facts.code : codeFile ? inspectCode(codeFile) : null
  const code = ownCode?.givesOut ? withGivenOut(ownCode, codeFile!, facts.ai) : ownCode
  const primitive0 = chain.primitive!
  const started: string[] = []
  const config = mergeConfig(facts, runtimes, {
    primitive: factsOf(chain.links.at(-1)!).config,
    problems,
    files: started,
  })
  const files: string[] = []
  if (primitive0 === 'subprocess' || primitive0 === 'worker') {
    if (!isCode && hasOwnCommand && !codeFile) useOwnCommand(config, facts)
    else delete config['shell']
    if (!isCode) {
      resolveBeside(config, toolFile, facts.ai, files)
      if (tool.tier === 'project') files.push(...projectFiles(config, facts.ai))
    }
    if (primitive0 === 'subprocess' && typeof config['command'] !== 'string' && !codeFileRuns(config))
      problems.push(noCode('it has no config.command'))
  }
  const entryName = entryOf(code, codeFile, primitive0 === 'worker')
  const hasWorker = typeof config['worker'] === 'string' && codeFile !== null
  const isFunction = hasWorker && entryName !== null && (primitive0 === 'worker' || !code!.hasMainBlock)
  const primitive = isFunction ? 'worker' : primitive0 === 'worker' ? 'subprocess' : primitive0
  if (primitive0 === 'worker' && codeFile && !entryName && !isCode)
    problems.push({
      code: 'entry-missing',
      field: 'config',
      message: `${codeFile} has no function to call.`,
      hint: 'Define execute(params, project_path) or main(…) in it.',
    })
  if (codeFile && codeFile !== toolFile) files.unshift(codeFile)
  const server = primitive === 'mcp_client' ? serverOf(tool, config, index, problems) : null
  problems.push(...checkPrimitive(primitive, config, facts, isCode))
  const requires = neededCapabilities(chain, primitive, config, server)
  if (problems.some((problem) => problem.code === 'no-code')) return { plan: null, problems, requires, files }

  const anchorFacts = runtimes.find((entry) => factsOf(entry).anchor)
  const interpreter = runtimeFacts.find((entry) => isPlainObject(entry.envConfig?.['interpreter']))?.envConfig
  const plan: RyePlan = {
    primitive,
    ai: facts.ai,
    toolFile,
    codeFile: codeFile ?? files[0] ?? null,
    runtimeId: runtime?.id ?? null,
    runtimeFile: runtime?.source.file ?? null,
    entry: codeFile ? (isFunction ? 'function' : 'script') : null,
    startsPrograms:
      primitive === 'subprocess' && !(codeFile !== null && /\.(?:py|[cm]?js|ts)$/.test(codeFile)),
    entryName: isFunction ? entryName : null,
    mentions: { projectPath: code?.mentionsProjectPath ?? false, params: code?.mentionsParams ?? false },
    config,
    timeouts: timeoutsOf(facts, runtimeFacts),
    interpreter: interpreter ? readInterpreter(interpreter['interpreter'] as JsonObject) : null,
    env: environment(facts, runtimeFacts),
    anchor: anchorFacts ? readAnchor(anchorFacts) : null,
    verifyDeps: verifyDepsOf(runtimeFacts),
    server,
    configResolve: facts.configResolve,
    runtimeConfigResolve: runtimeFacts.find((entry) => entry.configResolve)?.configResolve ?? null,
    declaredParams: facts.declaredParams,
  }
  return { plan, problems, requires, files: [...files, ...started] }
}

/** The runtime entries between tool and primitive, nearest first. A shell script on bare subprocess gets bash. */
function runtimesOf(tool: Tool, chain: Chain, index: TierIndex): Tool[] {
  const between = chain.links.slice(1, -1)
  const isBareScript =
    between.length === 0 &&
    chain.primitive === 'subprocess' &&
    tool.source.file!.endsWith('.sh') &&
    typeof factsOf(tool).config['command'] !== 'string'
  const bash = isBareScript ? index.lookup(bashRuntime, tool.tier) : undefined
  return bash ? [bash] : [...between]
}

function sibling(tool: Tool, extensions: readonly string[]): string {
  const stem = tool.id.slice(tool.id.lastIndexOf('/') + 1)
  return extensions.map((extension) => `${stem}${extension}`).join(' or ')
}

function noCode(why: string): PlanProblem {
  return {
    code: 'no-code',
    field: 'config',
    message: `Nothing to run: ${why}.`,
    hint: 'Put the code file beside this one, or set config.script or config.command.',
  }
}

type Config = { [key: string]: Json }

/** Files that start or load code for a runtime. The process may read their folders, so only a runtime names them. */
const bootstraps = ['worker', 'loader'] as const

function mergeConfig(
  facts: RyeFacts,
  runtimes: readonly Tool[],
  {
    primitive,
    problems,
    files,
  }: { readonly primitive: JsonObject; readonly problems: PlanProblem[]; readonly files: string[] },
): Config {
  const merged: Config = withoutBootstraps(primitive)
  for (const runtime of runtimes.toReversed()) {
    const { ai, config } = factsOf(runtime)
    Object.assign(merged, config)
    for (const key of bootstraps) {
      const path = config[key]
      if (typeof path !== 'string') continue
      // A path in a runtime entry is relative to the entry's own file.
      const file = resolve(dirname(runtime.source.file!), path)
      merged[key] = file
      if (runtime.tier === 'system') continue
      if (isFileInside(file, ai)) files.push(file)
      else problems.push(noCode(`config.${key} "${path}" of ${runtime.id} is no file inside ${ai}`))
    }
  }
  return Object.assign(merged, withoutBootstraps(facts.config))
}

function withoutBootstraps(config: JsonObject): Config {
  return Object.fromEntries(
    Object.entries(config).filter(([key]) => !(bootstraps as readonly string[]).includes(key)),
  )
}

/** A data file that brings its own command takes nothing from the runtime's way of starting code files. */
function useOwnCommand(config: Config, facts: RyeFacts): void {
  delete config['worker']
  delete config['flags']
  if (facts.config['args'] === undefined) delete config['args']
}

function codeFileRuns(config: Config): boolean {
  return typeof config['worker'] === 'string'
}

function resolveBeside(config: Config, toolFile: string, ai: string, files: string[]): void {
  if (Array.isArray(config['args'])) {
    config['args'] = config['args'].map((item: Json) => {
      const file = besideTool(toolFile, ai, item)
      if (file) files.push(file)
      return file ?? item
    })
  }
  const command = config['command']
  if (typeof command === 'string' && command.includes('/') && config['shell'] === undefined) {
    const file = besideTool(toolFile, ai, command)
    if (file) {
      files.push(file)
      config['command'] = file
    }
  }
}

/** Scripts of the project that the command line names: files of the tool, so readable to it and pinned (D5). */
function projectFiles(config: Config, ai: string): string[] {
  const words = [config['command'], ...(Array.isArray(config['args']) ? config['args'] : [])]
  const project = dirname(ai)
  return words.flatMap((word) => {
    const path = typeof word === 'string' ? /^\{project_path\}\/([^{}$\n]+)$/.exec(word)?.[1] : undefined
    const file = path === undefined ? undefined : join(project, path)
    return file !== undefined && isFileInside(file, project) ? [file] : []
  })
}

/** `isAsked`: the tool wants a function to be called; a script that merely imports a `main` calls it itself. */
function entryOf(code: CodeFacts | null, codeFile: string | null, isAsked: boolean): RyePlan['entryName'] {
  if (!code || !codeFile) return null
  if (!codeFile.endsWith('.py') && code.hasDefault) return 'default'
  if (code.hasExecute) return 'execute'
  if (isAsked && code.boundEntry === 'execute') return 'execute'
  return code.hasMain || (isAsked && code.boundEntry) ? 'main' : null
}

function seconds(value: Json | undefined): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

function timeoutsOf(facts: RyeFacts, runtimes: readonly RyeFacts[]): RyePlan['timeouts'] {
  const tool = facts.timeout ?? undefined
  const toolConfig = seconds(facts.config['timeout'])
  const runtimeConfig = runtimes
    .map((entry) => seconds(entry.config['timeout']))
    .find((value) => value !== undefined)
  return {
    tool,
    toolConfig,
    runtimeConfig,
  }
}

function environment(facts: RyeFacts, runtimes: readonly RyeFacts[]): { [name: string]: string } {
  const env: { [name: string]: string } = {}
  for (const entry of [...runtimes.toReversed(), facts]) {
    for (const source of [entry.envConfig?.['env'], entry.config['env']]) {
      if (!isPlainObject(source)) continue
      for (const [name, value] of Object.entries(source))
        env[name] = typeof value === 'string' ? value : JSON.stringify(value)
    }
  }
  return env
}

function texts(value: Json | undefined): string[] | undefined {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : undefined
}

function readInterpreter(given: JsonObject): RyeInterpreter {
  const type = given['type']
  const text = (key: string): string | undefined =>
    typeof given[key] === 'string' ? (given[key] as string) : undefined
  const optional = <T>(key: string, value: T | undefined): object =>
    value === undefined ? {} : { [key]: value }
  return {
    type: type === 'local_binary' || type === 'command' ? type : 'system_binary',
    ...optional('var', text('var')),
    ...optional('binary', text('binary')),
    ...optional('candidates', texts(given['candidates'])),
    ...optional('searchPaths', texts(given['search_paths'])),
    ...optional('searchRoots', texts(given['search_roots'])),
    ...optional('resolveCmd', texts(given['resolve_cmd'])),
    ...optional('fallback', text('fallback')),
  }
}

function readAnchor(runtime: Tool): RyeAnchor | null {
  const given = factsOf(runtime).anchor!
  if (given['enabled'] === false) return null
  const mode = given['mode']
  const root = given['root']
  const envPaths: { [name: string]: { prepend: string[]; append: string[] } } = {}
  if (isPlainObject(given['env_paths'])) {
    for (const [name, lists] of Object.entries(given['env_paths'] as JsonObject)) {
      const { prepend, append } = isPlainObject(lists) ? (lists as JsonObject) : {}
      envPaths[name] = { prepend: texts(prepend) ?? [], append: texts(append) ?? [] }
    }
  }
  return {
    mode: mode === 'always' || mode === 'never' ? mode : 'auto',
    markersAny: texts(given['markers_any']) ?? [],
    root: root === 'tool_parent' || root === 'project_path' ? root : 'tool_dir',
    lib: typeof given['lib'] === 'string' ? resolve(dirname(runtime.source.file!), given['lib']) : undefined,
    cwd: typeof given['cwd'] === 'string' ? given['cwd'] : undefined,
    envPaths,
  }
}

const scopes = ['anchor', 'tool_dir', 'tool_siblings', 'tool_file'] as const

function verifyDepsOf(runtimes: readonly RyeFacts[]): RyeVerifyDeps | null {
  const given = runtimes.find((entry) => entry.verifyDeps)?.verifyDeps
  if (!given || given['enabled'] === false) return null
  return {
    scope: scopes.find((scope) => scope === given['scope']) ?? 'anchor',
    recursive: given['recursive'] !== false,
    extensions: texts(given['extensions']) ?? [],
    excludeDirs: texts(given['exclude_dirs']) ?? [],
  }
}

function serverOf(tool: Tool, config: Config, index: TierIndex, problems: PlanProblem[]): RyeServer | null {
  const named = config['server']
  const complain = (message: string, hint: string): null => {
    problems.push({ code: 'mcp-config', field: 'config', message, hint })
    return null
  }
  if (typeof config['tool_name'] !== 'string' || config['tool_name'] === '')
    complain('config.tool_name is missing.', 'Name the tool of the MCP server.')
  if (named === undefined && typeof config['server_config_path'] === 'string') return null
  if (typeof named !== 'string')
    return complain(
      'config.server is missing.',
      'Name an mcp_server entry, or set config.server_config_path.',
    )
  const found = index.lookup(named, tool.tier)
  if (!found) {
    const higher = index.forbidden(named, tool.tier)
    return complain(
      higher
        ? `The MCP server ${named} exists only in the ${higher} tier.`
        : `There is no MCP server ${named}.`,
      `Add tools/${named}.yaml with tool_type: mcp_server.`,
    )
  }
  const server = factsOf(found)
  if (server.type !== 'mcp_server')
    return complain(`${named} is a ${server.type}, not an mcp_server.`, 'Name an entry of type mcp_server.')
  const transport = server.config['transport'] ?? 'http'
  const expected = config['transport']
  if (typeof expected === 'string' && expected !== transport)
    problems.push({
      code: 'mcp-transport',
      field: 'executor_id',
      message: `The executor speaks ${expected}, the server ${found.id} speaks ${transport}; the server's is used.`,
      hint: `Name the executor rye/core/runtimes/mcp/${transport}.`,
    })
  return { id: found.id, file: found.source.file!, config: server.config }
}

function neededCapabilities(
  chain: Chain,
  primitive: RyePlan['primitive'],
  config: Config,
  server: RyeServer | null,
): readonly string[] | null {
  const needed = new Set(chain.links.flatMap((link) => factsOf(link).requires ?? []))
  const isRemote =
    primitive === 'http_client' ||
    (primitive === 'mcp_client' &&
      (server ? (server.config['transport'] ?? 'http') : config['transport']) === 'http')
  if (isRemote && !needed.has('net.http') && !needed.has('net.call')) needed.add('net.http')
  if (primitive === 'filesystem') {
    const operation = config['operation']
    needed.add(operation === 'read' || operation === 'list' ? 'fs.read' : 'fs.write')
  }
  return needed.size > 0 || factsOf(chain.links[0]!).requires ? [...needed] : null
}
