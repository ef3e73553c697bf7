// The command line that runs a container tool with docker or podman.

import type { SpawnSpec } from '../../sandbox/fence.ts'
import type { Placeholders } from '../../sandbox/view/placeholders.ts'
import type { Json } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { BlankFolder } from './blank-folder.ts'
import type { Command } from './build-command.ts'
import { type Engine, engineEnvironment } from './docker-engine.ts'
import { mountFlags, workspace } from './docker-mounts.ts'
import { containerVariables, variableFlags } from './docker-variables.ts'
import { checkArguments } from './flags.ts'
import { ownFiles, type Setting } from './setting.ts'
import { expand, textOf } from './template.ts'

export interface ContainerCommand extends Command {
  readonly engine: Engine
  readonly image: string
  /** What the container may use, as the engine is told it. */
  readonly memory: string
  /** Names of the container's variables. */
  readonly variables: readonly string[]
  /** Removes the container whatever state it is in. */
  readonly removal: SpawnSpec
}

export interface ContainerParts {
  readonly engine: Engine
  readonly placeholders: Placeholders
  readonly blank: BlankFolder
}

export function buildContainer(
  attempt: Attempt,
  setting: Setting,
  env: RuntimeEnv,
  { engine, placeholders, blank }: ContainerParts,
): ContainerCommand {
  const { config } = setting.plan
  const text = (key: string, fallback = '') =>
    textOf(expand(config[key] ?? fallback, { ...setting.scope, params: null }, { key }).value)
  const refuse = (key: string, hint: string) =>
    new ToolError('TOOL_NOT_CALLABLE', `${attempt.tool.id}: config.${key} is missing or not usable.`, {
      hint,
    })
  const image = text('image')
  if (!/^[A-Za-z0-9][^\s\0]*$/.test(image))
    throw refuse('image', 'Set config.image to the name of an image, e.g. python:3.12-slim.')
  const asked = text('memory', '512m').trim()
  const memory =
    bytesOf(asked) > attempt.profile.memoryMb * 1024 ** 2 ? `${attempt.profile.memoryMb}m` : asked
  if (!(bytesOf(memory) > 0)) throw refuse('memory', 'Set config.memory to an amount such as 512m or 2g.')
  const cpus = Math.min(
    Number(text('cpus', '1')),
    (attempt.profile.cpuPercent ?? Number.POSITIVE_INFINITY) / 100,
  )
  if (!(cpus > 0)) throw refuse('cpus', 'Set config.cpus to a number such as 1 or 0.5.')

  const variables = containerVariables(attempt, setting, env)
  const { args: variableArgs, handovers } = variableFlags(variables)
  const container = `toolcrib-${attempt.runId.replace(/[^\w.-]/g, '-')}-${Math.random().toString(36).slice(2, 8)}`
  const command = words(config['command'], setting, 'command')
  const entrypoint = words(config['entrypoint'], setting, 'entrypoint')
  const isEntry = command.length === 0 && entrypoint.length > 0
  const args = [
    'run',
    '--rm',
    '-i',
    '--name',
    container,
    // A call must not bring code to this machine that nobody asked for, nor wait for it.
    '--pull',
    'never',
    '--log-driver',
    logDriver(engine),
    ...(attempt.profile.network.mode === 'none' ? ['--network', 'none'] : []),
    '--memory',
    memory,
    // As much as the memory itself: none of it is swapped out.
    '--memory-swap',
    memory,
    '--cpus',
    String(cpus),
    '--pids-limit',
    String(attempt.profile.processes),
    '--security-opt',
    'no-new-privileges',
    // Whoever removes it has asked it to end before.
    '--stop-timeout',
    '0',
    ...mountFlags(attempt.profile, {
      project: env.spaces.project,
      own: ownFiles(setting, env, attempt.tool),
      placeholders,
      blank,
    }),
    '--workdir',
    workspace,
    ...variableArgs,
    ...(isEntry ? ['--entrypoint', entrypoint[0]!] : []),
    image,
    ...(isEntry ? entrypoint.slice(1) : [...command, ...entrypoint]),
    ...argumentsOf(setting),
  ]
  checkArguments(args)
  const spec = { file: engine.file, args, cwd: env.spaces.project, env: engineEnvironment() }
  return {
    engine,
    binary: engine.name,
    image,
    memory,
    variables: Object.keys(variables).sort(),
    spec: { ...spec, handovers },
    stdin: setting.paramsJson(),
    removal: { ...spec, args: ['rm', '-f', container] },
  }
}

/**
 * What a tool prints is not kept a second time. Podman's own way to its output loses all of it now and then when a
 * tool ends without having read its input, so a podman on this machine hands its streams straight to the container.
 */
function logDriver({ name }: Engine): string {
  const isHere = process.platform === 'linux' && !process.env['CONTAINER_HOST']
  return name === 'podman' && isHere ? 'passthrough' : 'none'
}

/** `512m` as bytes; NaN for what is no amount. */
function bytesOf(text: string): number {
  const [, digits, unit = 'b'] = /^(\d+(?:\.\d+)?)([bkmg])?b?$/i.exec(text) ?? []
  return Math.floor(Number(digits) * 1024 ** 'bkmg'.indexOf(unit.toLowerCase()))
}

/** A program and its first words; a param can be none of them. */
function words(value: Json | undefined, setting: Setting, key: string): string[] {
  const scope = { ...setting.scope, params: null }
  const list = Array.isArray(value)
    ? value
    : value === undefined || value === null || value === ''
      ? []
      : [value]
  return list.map((item: Json) => textOf(expand(item, scope, { key }).value))
}

function argumentsOf(setting: Setting): string[] {
  const list = setting.plan.config['args']
  if (!Array.isArray(list)) return []
  return list.flatMap((template: Json) => {
    const { value, missing } = expand(template, setting.scope, { key: 'args' })
    return missing.some((name) => setting.plan.declaredParams.includes(name)) ? [] : [textOf(value)]
  })
}
