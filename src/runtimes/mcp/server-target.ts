// A server as it is really reached: variables filled in, program found, working folder absolute.
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config, SandboxMode } from '../../config/config.ts'
import { findOnPath } from '../../config/find-on-path.ts'
import type { Spaces } from '../../config/spaces.ts'
import { installedPackage } from '../../formats/mcp/installed-package.ts'
import { packageRunner } from '../../formats/mcp/package-runner.ts'
import { packageFolder } from '../../formats/mcp/server-folder.ts'
import { splitCommand } from '../../formats/mcp/split-command.ts'
import type { OverMount, SpawnSpec } from '../../sandbox/fence.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import type { ServerAuth } from '../../tool/plans/server-auth.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { baseEnvironment } from '../base-environment.ts'
import { refuseUnpinned } from '../command/locate-binary.ts'
import type { RuntimeEnv } from '../runtime.ts'
import { besideProgram } from './beside-program.ts'
import { readEnvFile } from './env-file.ts'
import { ownCode } from './own-code.ts'
import { notInstalled, serverHome } from './server-package.ts'

/** Secrets that an entry names, by their names: taken out of whatever the server says. */
type Revealed = { readonly [name: string]: string }

interface FilledServer extends McpServerSpec {
  readonly revealed?: Revealed
}

/** `isShared`: one process or session serves every principal, because its entry says so. */
export type ServerTarget = { readonly isShared?: true; readonly revealed?: Revealed } & (
  | {
      readonly kind: 'stdio'
      readonly name: string
      readonly spawn: SpawnSpec
      /** What it must read besides the profile: its own code. */
      readonly read: readonly string[]
      /** A folder of its own that lasts, which is its HOME. */
      readonly home?: string
      /** What it finds over its own program, asked when it starts: a folder that takes what it writes there. */
      over?(): readonly OverMount[]
      readonly mode?: SandboxMode | undefined
      readonly concurrency: number
    }
  | {
      readonly kind: 'http'
      readonly name: string
      readonly url: string
      /** Only the older transport, HTTP with server-sent events, is tried. */
      readonly isSse?: boolean
      readonly headers: { readonly [name: string]: string }
      /** `host:port` that is open to it because its accepted entry names it; null: the profile alone decides. */
      readonly ownHost: string | null
      readonly auth?: ServerAuth | undefined
      /** Present where it can be logged in to; `user`: whose log-in counts, where each user has an own one. */
      readonly login?: { readonly user?: string | undefined }
      readonly concurrency: number
    }
)

const defaultConcurrency = 16

/** Fills `${VAR}` in: any variable for the operator's servers, exposed ones for those of a folder. */
function fillSpec(
  spec: McpServerSpec,
  { config, spaces: { project } }: Pick<RuntimeEnv, 'config' | 'spaces'>,
  host: NodeJS.ProcessEnv = process.env,
): McpServerSpec {
  const known = spec.isOperators ? host : baseEnvironment(config.env.expose, host)
  const fillFrom = (text: string, variables: NodeJS.ProcessEnv) =>
    text.replace(variable, (_whole, name: string, standard?: string) => {
      if (name === 'workspaceFolder') return project
      const value = variables[name] || standard
      if (value === undefined) throw unset(spec, name, variables === host)
      return value
    })
  const fill = (text: string) => fillFrom(text, known)
  // D11: what the entry of an accepted server names for its environment or headers is for that server alone.
  const fillAll = (values: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fillFrom(value, host)]))
  return {
    ...spec,
    ...(spec.command === undefined ? {} : { command: fill(spec.command) }),
    ...(spec.args === undefined ? {} : { args: spec.args.map(fill) }),
    ...(spec.env === undefined ? {} : { env: fillAll(spec.env) }),
    ...(spec.envFile === undefined ? {} : { envFile: fill(spec.envFile) }),
    ...(spec.cwd === undefined ? {} : { cwd: fill(spec.cwd) }),
    ...(spec.url === undefined ? {} : { url: fill(spec.url) }),
    ...(spec.headers === undefined ? {} : { headers: fillAll(spec.headers) }),
  }
}

const variable = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

function unset(spec: McpServerSpec, name: string, isOwn: boolean): ToolError {
  if (isOwn)
    return new ToolError(
      'SECRET_MISSING',
      `The MCP server "${spec.name}" needs the variable ${name}, which is not set.`,
      {
        hint: `Set ${name}, or keep it in the crib: \`toolcrib secrets set ${name}\`, and write \${secret:${name}} in the entry.`,
      },
    )
  return new ToolError(
    'CONFIG_INVALID',
    `The MCP server "${spec.name}" names the variable ${name} in its command or address, where only shown variables count.`,
    { hint: `Put it into "env" or "headers" of the entry, which are for this server alone.` },
  )
}

const secret = /\$\{secret:([A-Za-z_][\w.-]*)\}/g

/** The spec with variables and secrets filled in; a missing secret is SECRET_MISSING with the command (D11). */
async function fillServer(
  spec: McpServerSpec,
  env: Pick<RuntimeEnv, 'config' | 'spaces' | 'serverSecret'>,
): Promise<FilledServer> {
  const filled = fillSpec(spec, env)
  const texts = [filled.env, filled.headers].flatMap((values) => Object.values(values ?? {}))
  const names = new Set(texts.flatMap((text) => [...text.matchAll(secret)].map((match) => match[1]!)))
  if (names.size === 0) return filled
  const values = new Map<string, string>()
  for (const name of names) {
    const value = await env.serverSecret?.(name, spec.name)
    if (value === undefined)
      throw new ToolError('SECRET_MISSING', `The MCP server "${spec.name}" needs the secret ${name}.`, {
        hint: `Store it with \`toolcrib secrets set ${name}\`.`,
        details: { missing: [name] },
      })
    values.set(name, value)
  }
  const reveal = (given: { readonly [name: string]: string } | undefined) =>
    given &&
    Object.fromEntries(
      Object.entries(given).map(([key, text]) => [
        key,
        text.replace(secret, (_, name: string) => values.get(name)!),
      ]),
    )
  return {
    ...filled,
    env: reveal(filled.env),
    headers: reveal(filled.headers),
    revealed: Object.fromEntries(values),
  }
}

interface KeptTarget {
  readonly target: ServerTarget
  readonly said: string
  readonly config: Config
  readonly untilMs: number
}

/** By the entry of the server. */
const kept = new WeakMap<McpServerSpec, KeptTarget>()
/** Looking for program, packages and folders takes dozens of system calls, and a server is called many times a second. */
const keptMs = 1_000

/** The server of an entry as a call reaches it, looked for at most once a second. Throws as `fillServer` and `targetOf`. */
export async function targetFor(
  entry: McpServerSpec,
  env: Pick<RuntimeEnv, 'config' | 'spaces' | 'serverSecret'>,
): Promise<{ readonly spec: McpServerSpec; readonly target: ServerTarget }> {
  const { config, spaces } = env
  const spec = await fillServer(entry, env)
  const said = JSON.stringify(spec)
  const known = kept.get(entry)
  if (known?.said === said && known.config === config && performance.now() < known.untilMs)
    return { spec, target: known.target }
  const target = targetOf(spec, config, spaces)
  kept.set(entry, { target, said, config, untilMs: performance.now() + keptMs })
  return { spec, target }
}

/** Throws COMMAND_NOT_FOUND or CONFIG_INVALID when the server cannot be reached as it is written. */
export function targetOf(spec: FilledServer, config: Config, spaces: Spaces): ServerTarget {
  const { revealed } = spec
  const target = { ...reachedAs(spec, config, spaces), revealed }
  return spec.shared === true ? { ...target, isShared: true } : target
}

function reachedAs(spec: McpServerSpec, config: Config, spaces: Spaces): ServerTarget {
  const concurrency = spec.concurrency ?? defaultConcurrency
  if (spec.transport === 'http') {
    const url = addressOf(spec)
    const ownHost = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
    return {
      kind: 'http',
      name: spec.name,
      url: url.href,
      isSse: spec.isSse ? true : undefined,
      headers: spec.headers ?? {},
      ownHost,
      auth: spec.auth,
      concurrency,
    }
  }
  const cwd = resolve(spaces.project, spec.cwd ?? '.')
  const { command, args } = commandLine(spec, cwd)
  const home = serverHome(spaces, spec.name)
  // What the settings demand of every process, an entry does not take back.
  const mode = config.sandbox.mode === 'required' ? undefined : spec.sandbox
  const env = {
    ...baseEnvironment(config.env.expose),
    HOME: home,
    TOOLCRIB_PROJECT_PATH: spaces.project,
    ...readEnvFile(spec, spaces.project),
    ...spec.env,
  }
  const runner = packageRunner(command, args)
  if (runner) {
    const installed = installedPackage(spaces.state, spec.name, runner)
    if (!installed) throw notInstalled(spec, runner)
    const folder = packageFolder(spaces.state, spec.name)
    const file = installed.program ?? process.execPath
    const spawn = { file, args: [join(folder, installed.bin), ...runner.args], cwd, env }
    const over = () => besideProgram(spaces.state, spec.name, installed)
    return { kind: 'stdio', name: spec.name, spawn, read: [folder], home, over, mode, concurrency }
  }
  const file = command.includes('/') ? resolve(cwd, command) : findOnPath(command)
  if (!file || !existsSync(file))
    throw new ToolError(
      'COMMAND_NOT_FOUND',
      `The MCP server "${spec.name}" cannot start: there is no program ${command}.`,
      { hint: `Install ${command}, or correct the command.` },
    )
  return {
    kind: 'stdio',
    name: spec.name,
    spawn: { file, args, cwd, env },
    read: [file, ...ownCode([file, ...args], cwd, spaces.project)],
    home,
    mode,
    concurrency,
  }
}

/** A path in one text with its arguments is split when the whole is no file. */
function commandLine(spec: McpServerSpec, cwd: string): { command: string; args: readonly string[] } {
  const command = spec.command!
  const args = spec.args ?? []
  if (args.length > 0 || !/\s/.test(command) || existsSync(resolve(cwd, command))) return { command, args }
  const [first, ...rest] = splitCommand(command)
  return { command: first ?? command, args: rest }
}

/** COMMAND_NOT_ALLOWED when the lock file pins another program for the server. */
export function refuseOtherProgram(
  target: ServerTarget,
  spec: McpServerSpec,
  tool: Tool,
  env: RuntimeEnv,
): void {
  // A package stands for the runner that would fetch it; the lock holds its files.
  if (
    target.kind !== 'stdio' ||
    packageRunner(spec.command!, spec.args ?? []) ||
    !env.pinnedBinary?.(tool, spec.command!)
  )
    return
  refuseUnpinned(spec.command!, realpathSync(target.spawn.file), tool, env)
}

function addressOf(spec: McpServerSpec): URL {
  try {
    return new URL(spec.url!)
  } catch {
    throw new ToolError('CONFIG_INVALID', `The url of the MCP server "${spec.name}" is no address.`, {
      hint: 'Write it in full, as in https://example.com/mcp.',
    })
  }
}
