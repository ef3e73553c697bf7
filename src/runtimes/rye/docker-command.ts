// The command line that runs a container tool with docker or podman. Values of variables never stand in it: the
// engine takes them from its own environment by name.
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findOnPath } from '../../config/find-on-path.ts'
import type { Json } from '../../tool/json.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { baseEnvironment } from '../base-environment.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import type { Command } from './build-command.ts'
import { checkArguments } from './flags.ts'
import type { Setting } from './setting.ts'
import { expand, textOf } from './template.ts'

const workspace = '/workspace'
const engines = ['docker', 'podman']
/** What the engine's own client needs of the host to find its daemon; the container sees none of it. */
const engineVariables = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'CONTAINER_HOST',
  'XDG_RUNTIME_DIR',
]

export interface ContainerCommand extends Command {
  /** Name of the container, to remove it by. */
  readonly container: string
}

export function buildContainer(attempt: Attempt, setting: Setting, env: RuntimeEnv): ContainerCommand {
  const engine = findEngine()
  const { config } = setting.plan
  const text = (key: string, fallback = '') =>
    textOf(expand(config[key] ?? fallback, { ...setting.scope, params: null }, { key }).value)
  const image = text('image')
  if (image === '' || image.startsWith('-')) {
    throw new ToolError(
      'TOOL_NOT_CALLABLE',
      `${attempt.tool.id}: config.image is missing or no image name.`,
      {
        hint: 'Set config.image, e.g. python:3.12-slim.',
      },
    )
  }
  const variables = containerVariables(attempt, setting, env)
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
    ...(attempt.profile.network.mode === 'none' ? ['--network', 'none'] : []),
    '--memory',
    text('memory', '512m'),
    '--cpus',
    text('cpus', '1'),
    '--pids-limit',
    String(attempt.profile.processes),
    '--security-opt',
    'no-new-privileges',
    ...mounts(attempt, env),
    '--workdir',
    workspace,
    ...Object.keys(variables).flatMap((name) => ['--env', name]),
    ...(isEntry ? ['--entrypoint', entrypoint[0]!] : []),
    image,
    ...(isEntry ? entrypoint.slice(1) : [...command, ...entrypoint]),
    ...argumentsOf(setting),
  ]
  checkArguments(args)
  return {
    binary: engine.name,
    spec: { file: engine.file, args, cwd: env.spaces.project, env: { ...engineEnvironment(), ...variables } },
    stdin: setting.paramsJson(),
    container,
  }
}

/** The command that removes a container whatever state it is in. */
export function removal(command: ContainerCommand) {
  return { ...command.spec, args: ['rm', '-f', command.container] }
}

function findEngine(): { readonly name: string; readonly file: string } {
  for (const name of engines) {
    const file = findOnPath(name)
    if (file) return { name, file }
  }
  throw new ToolError(
    'RUNTIME_MISSING',
    `No container engine was found: neither ${engines.join(' nor ')} is on PATH.`,
    {
      hint: 'Install docker or podman.',
      details: { tried: engines },
    },
  )
}

function engineEnvironment(): Record<string, string> {
  return baseEnvironment(engineVariables)
}

/** The project at /workspace, read-only unless the tool may write; what no tool may touch stays closed inside. */
function mounts(attempt: Attempt, env: RuntimeEnv): string[] {
  const { project } = env.spaces
  const { profile } = attempt
  const writes = profile.write.length > 0
  const inside = (path: string) => `${workspace}/${relative(project, path)}`
  const list = ['--mount', bind(project, workspace, !writes)]
  for (const path of profile.hidden.filter((hidden) => hidden.startsWith(project) && existsSync(hidden)))
    list.push('--mount', `type=tmpfs,${quoted(`target=${inside(path)}`)}`)
  if (writes) {
    for (const path of profile.readOnly.filter(
      (kept) => kept.startsWith(join(project, '/')) && existsSync(kept),
    ))
      list.push('--mount', bind(path, inside(path), true))
  }
  return list
}

function bind(source: string, target: string, readOnly: boolean): string {
  return [
    'type=bind',
    quoted(`source=${source}`),
    quoted(`target=${target}`),
    ...(readOnly ? ['readonly'] : []),
  ].join(',')
}

/** `--mount` is read as a line of CSV. */
function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}

function containerVariables(attempt: Attempt, setting: Setting, env: RuntimeEnv): Record<string, string> {
  const given = setting.plan.config['env']
  const variables: Record<string, string> = {}
  if (Array.isArray(given)) {
    const exposed = baseEnvironment(env.config.env.expose)
    for (const name of given.map((item: Json) => textOf(item))) {
      const value = env.config.env.expose.includes(name) ? exposed[name] : undefined
      if (value !== undefined) variables[name] = value
      else
        attempt.log('warn', `env-unset: ${name} is not set or not exposed (env.expose in toolcrib.yaml)`, {
          code: 'env-unset',
          name,
        })
    }
    return variables
  }
  if (!isPlainObject(given)) return variables
  for (const [name, template] of Object.entries(given)) {
    const { value, missing } = expand(template as Json, setting.scope)
    if (!missing.some((placeholder) => setting.plan.declaredParams.includes(placeholder)))
      variables[name] = textOf(value)
  }
  return variables
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
