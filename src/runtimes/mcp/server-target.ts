// A server as it is really reached: variables filled in, program found, working folder absolute.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { findOnPath } from '../../config/find-on-path.ts'
import type { Spaces } from '../../config/spaces.ts'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { baseEnvironment } from '../base-environment.ts'
import { refuseUnpinned } from '../command/locate-binary.ts'
import type { RuntimeEnv } from '../runtime.ts'

export type ServerTarget =
  | {
      readonly kind: 'stdio'
      readonly name: string
      readonly spawn: SpawnSpec
      /** What it must read besides the profile: its own code. */
      readonly read: readonly string[]
      readonly concurrency: number
    }
  | {
      readonly kind: 'http'
      readonly name: string
      readonly url: string
      readonly headers: { readonly [name: string]: string }
      /** `host:port` that is open to it because the operator wrote it; null: the profile alone decides. */
      readonly ownHost: string | null
      readonly concurrency: number
    }

const defaultConcurrency = 16

/** Fills `${VAR}` in: any variable for the operator's servers, exposed ones for those of a folder. */
export function fillSpec(
  spec: McpServerSpec,
  config: Config,
  host: NodeJS.ProcessEnv = process.env,
): McpServerSpec {
  const known = spec.isOperators ? host : baseEnvironment(config.env.expose, host)
  const fill = (text: string) =>
    text.replace(variable, (_whole, name: string, standard?: string) => {
      const value = known[name] || standard
      if (value === undefined) throw unset(spec, name)
      return value
    })
  const fillAll = (values: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
  return {
    ...spec,
    ...(spec.command === undefined ? {} : { command: fill(spec.command) }),
    ...(spec.args === undefined ? {} : { args: spec.args.map(fill) }),
    ...(spec.env === undefined ? {} : { env: fillAll(spec.env) }),
    ...(spec.cwd === undefined ? {} : { cwd: fill(spec.cwd) }),
    ...(spec.url === undefined ? {} : { url: fill(spec.url) }),
    ...(spec.headers === undefined ? {} : { headers: fillAll(spec.headers) }),
  }
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

function unset(spec: McpServerSpec, name: string): ToolError {
  return new ToolError(
    'CONFIG_INVALID',
    `The MCP server "${spec.name}" needs the variable ${name}, which is not set or not for it to see.`,
    { hint: spec.isOperators ? `Set ${name}.` : `Set ${name} and add it to env.expose in toolcrib.yaml.` },
  )
}

/** Throws COMMAND_NOT_FOUND or CONFIG_INVALID when the server cannot be reached as it is written. */
export function targetOf(spec: McpServerSpec, config: Config, spaces: Spaces): ServerTarget {
  const concurrency = spec.concurrency ?? defaultConcurrency
  if (spec.transport === 'http') {
    const url = addressOf(spec)
    const ownHost = spec.isOperators
      ? `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
      : null
    return { kind: 'http', name: spec.name, url: url.href, headers: spec.headers ?? {}, ownHost, concurrency }
  }
  const command = spec.command!
  const cwd = resolve(spaces.project, spec.cwd ?? '.')
  const file = command.includes('/') ? resolve(cwd, command) : findOnPath(command)
  if (!file || !existsSync(file))
    throw new ToolError(
      'COMMAND_NOT_FOUND',
      `The MCP server "${spec.name}" cannot start: there is no program ${command}.`,
      { hint: `Install ${command}, or correct the command.` },
    )
  const args = spec.args ?? []
  const env = { ...baseEnvironment(config.env.expose), TOOLCRIB_PROJECT_PATH: spaces.project, ...spec.env }
  return {
    kind: 'stdio',
    name: spec.name,
    spawn: { file, args, cwd, env },
    read: spec.isOperators ? ownCode([file, ...args], cwd) : [file],
    concurrency,
  }
}

/** COMMAND_NOT_ALLOWED when the lock file pins another program for the server. */
export function refuseOtherProgram(
  target: ServerTarget,
  spec: McpServerSpec,
  tool: Tool,
  env: RuntimeEnv,
): void {
  if (target.kind !== 'stdio' || !env.pinnedBinary?.(tool, spec.command!)) return
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

/** The folders of the scripts the operator names: up to the package they belong to. */
function ownCode(words: readonly string[], cwd: string): string[] {
  return words.flatMap((word) => {
    const path = isAbsolute(word) ? word : resolve(cwd, word)
    if (!/[/.]/.test(word) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return []
    return [packageOf(path) ?? path]
  })
}

function packageOf(file: string): string | undefined {
  for (let dir = dirname(file); dirname(dir) !== dir; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json')) || existsSync(join(dir, 'pyproject.toml'))) return dir
  }
  return undefined
}
