// From a rye plan to a process: program, arguments, standard input. Nothing here passes through a shell, except
// the command line of a data file on a shell runtime, and there params come in as variables only.
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findOnPath } from '../../config/find-on-path.ts'
import type { SpawnSpec } from '../../sandbox/fence.ts'
import type { Json } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { refuseUnpinned } from '../command/locate-binary.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import { checkArguments, paramFlags, paramsFlag, paramVariables } from './flags.ts'
import { besideRuntime } from './layout.ts'
import { isParamArgument, isPositional, paramArgument, refuseDash, refuseGap } from './param-argument.ts'
import { childEnvironment, type Setting, textSetting, workingFolder } from './setting.ts'
import { expand, textOf } from './template.ts'

export interface Command {
  readonly spec: SpawnSpec
  /** The program as the configuration names it. */
  readonly binary: string
  readonly stdin: string
}

/** Builds the command of a script or subprocess tool; throws what the call must end with when it cannot. */
export function buildCommand(attempt: Attempt, setting: Setting, env: RuntimeEnv): Command {
  const cwd = workingFolder(setting, env)
  const variables = { ...childEnvironment(setting, env), ...secretVariables(attempt, env.config).env }
  if (setting.plan.primitive === 'subprocess' && setting.plan.config['flags'] === undefined)
    Object.assign(variables, paramVariables(setting.params))
  const { binary, args } = commandLine(attempt, setting, variables)
  checkArguments(args)
  return {
    binary,
    spec: {
      file: pinnedFile(binary, attempt, env, programFile(binary, setting, cwd, variables)),
      args,
      cwd,
      env: variables,
    },
    stdin: standardInput(setting),
  }
}

function commandLine(
  attempt: Attempt,
  setting: Setting,
  variables: Record<string, string>,
): { readonly binary: string; readonly args: string[] } {
  const { plan } = setting
  const { config } = plan
  const shell = config['shell']
  const command = config['command']
  if (Array.isArray(shell) && typeof command === 'string') {
    const [binary, ...rest] = shell.map((part: Json) => textOf(expand(part, withoutParams(setting)).value))
    return {
      binary: binary!,
      args: [
        ...rest,
        shellText(command, setting, variables),
        ...(binary ? [binary] : []),
        ...argumentsOf(setting),
      ],
    }
  }
  if (typeof command !== 'string' || command === '') {
    throw new ToolError('TOOL_NOT_CALLABLE', `${attempt.tool.id}: its definition names no command to run.`, {
      hint: 'Set config.command, or put a code file of the same name beside the definition.',
    })
  }
  return {
    binary: textOf(expand(command, withoutParams(setting), { key: 'command' }).value),
    args: [...loaderArguments(setting), ...argumentsOf(setting), ...flagsOf(setting)],
  }
}

/** A param must not choose the program. */
function withoutParams(setting: Setting) {
  return { ...setting.scope, params: null }
}

function argumentsOf(setting: Setting): string[] {
  const list = setting.plan.config['args']
  if (!Array.isArray(list)) return []
  let skipped: string | undefined
  return list.flatMap((template: Json) => {
    if (isParamArgument(template)) {
      const words = paramArgument(template, setting.params)
      if (isPositional(template)) {
        const name = template['param'] as string
        if (words.length === 0) skipped ??= name
        else if (skipped !== undefined) refuseGap(skipped, name)
      }
      return words
    }
    if (typeof template !== 'string') return [textOf(template)]
    const { value, missing } = expand(template, setting.scope, { key: 'args' })
    if (missing.some((name) => setting.plan.declaredParams.includes(name))) return []
    const text = textOf(value)
    if (text.startsWith('-') && !hasSeparator(list, template)) refuseCallersDash(text, template, setting)
    return [text]
  })
}

/** After `--` a program takes nothing for an option. */
function hasSeparator(list: readonly Json[], template: Json): boolean {
  const at = list.indexOf('--')
  return at !== -1 && at < list.indexOf(template)
}

/** What a caller gave must not become an option of the program; what the author wrote may be one (G26). */
function refuseCallersDash(text: string, template: string, setting: Setting): void {
  if (template.startsWith('-') || setting.plan.config['allow_dash'] === true) return
  const plain = Object.fromEntries(
    Object.entries(setting.params).map(([name, value]) => [name, typeof value === 'number' ? value : 'x']),
  )
  const { value } = expand(template, { ...setting.scope, params: plain }, { key: 'args' })
  if (!textOf(value).startsWith('-')) refuseDash(text, template, undefined)
}

function flagsOf(setting: Setting): string[] {
  const { plan } = setting
  const style = plan.config['flags']
  if (style !== 'mentioned' && style !== 'params') return []
  return entryFlags(setting, style)
}

/** `--project-path` and `--params` for files that mention them; `params` style: otherwise one flag per param. */
export function entryFlags(setting: Setting, style: 'mentioned' | 'params'): string[] {
  const { mentions } = setting.plan
  const flags = [
    ...(mentions.projectPath ? ['--project-path', setting.layout.names['project_path']!] : []),
    ...(mentions.params ? paramsFlag(setting.paramsJson()) : []),
  ]
  return style === 'params' && flags.length === 0 ? paramFlags(setting.params) : flags
}

/** TypeScript main scripts are entered through the runtime's loader. */
function loaderArguments(setting: Setting): string[] {
  const loader = setting.plan.config['loader']
  if (typeof loader !== 'string' || !setting.plan.codeFile?.endsWith('.ts')) return []
  return ['--import', pathToFileURL(besideRuntime(setting.plan, loader)).href]
}

/** Shell text: its own names become variables, so that no value is ever read as shell syntax. */
function shellText(command: string, setting: Setting, variables: Record<string, string>): string {
  return command.replace(/(?<!\$)\{([a-z_]+)\}/g, (all, name: string) => {
    const fixed = setting.scope.fixed
    if (!Object.hasOwn(fixed, name) && name !== 'request_id') return all
    const value = name === 'request_id' ? setting.scope.requestId : fixed[name]!
    const variable = `TOOLCRIB_${name.toUpperCase()}`
    variables[variable] = typeof value === 'function' ? value() : value
    return `\${${variable}}`
  })
}

function programFile(
  binary: string,
  setting: Setting,
  cwd: string,
  variables: Record<string, string>,
): string {
  const file = binary.includes('/') ? resolve(cwd, binary) : findOnPath(binary, variables['PATH'])
  if (file && findOnPath(file) !== undefined) return file
  const exists = file !== undefined && existsSync(file)
  if (binary === '') {
    throw new ToolError('RUNTIME_MISSING', 'config.command comes to nothing: a variable in it is not set.', {
      hint: `It reads ${JSON.stringify(setting.plan.config['command'])}.`,
    })
  }
  throw new ToolError(
    'COMMAND_NOT_FOUND',
    exists ? `${file} is not an executable file.` : `The program ${binary} was not found.`,
    { hint: exists ? 'Make it executable (chmod +x).' : 'Install it, or give its path in config.command.' },
  )
}

/** The program, unless the lock file pins another one under that name. */
function pinnedFile(binary: string, attempt: Attempt, env: RuntimeEnv, file: string): string {
  if (env.pinnedBinary?.(attempt.tool, binary)) refuseUnpinned(binary, realpathSync(file), attempt.tool, env)
  return file
}

function standardInput(setting: Setting): string {
  const { config } = setting.plan
  const key = config['input_data'] === undefined ? 'stdin' : 'input_data'
  return textSetting(config[key], setting, key) ?? setting.paramsJson()
}
