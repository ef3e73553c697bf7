// The variables of a container. None of them may become one of the engine's own command, which runs outside every
// fence (LD_PRELOAD, DOCKER_HOST): they reach it in a file without a name, or as arguments.
import type { Json } from '../../tool/json.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { baseEnvironment } from '../base-environment.ts'
import type { Attempt, RuntimeEnv } from '../runtime.ts'
import { secretVariables } from '../secret-variables.ts'
import type { Setting } from './setting.ts'
import { expand, textOf } from './template.ts'

const fileDescriptor = 3
const maxLine = 32_768

/** `config.env` of the tool: a list names exposed variables of the host, a map has values. Released secrets too. */
export function containerVariables(
  attempt: Attempt,
  setting: Setting,
  env: RuntimeEnv,
): Record<string, string> {
  const given = setting.plan.config['env']
  const secrets = secretVariables(attempt, env.config).env
  const variables: Record<string, string> = { ...secrets }
  if (Array.isArray(given)) {
    const exposed = baseEnvironment(env.config.env.expose)
    for (const name of given.map((item: Json) => textOf(item))) {
      const value = env.config.env.expose.includes(name) ? exposed[name] : undefined
      if (value !== undefined) variables[name] = value
      else if (!Object.hasOwn(variables, name))
        attempt.log('warn', `env-unset: ${name} is not set or not exposed (env.expose in toolcrib.yaml)`, {
          code: 'env-unset',
          name,
        })
    }
  } else if (isPlainObject(given)) {
    for (const [name, template] of Object.entries(given)) {
      const { value, missing } = expand(template as Json, setting.scope)
      if (!missing.some((placeholder) => setting.plan.declaredParams.includes(placeholder)))
        variables[name] = textOf(value)
    }
  }
  for (const [name, value] of Object.entries(variables)) {
    if (value === secrets[name] && !fitsLine(name, value)) throw unfitSecret(attempt, name)
    if (/^[A-Za-z_][\w.-]*$/.test(name)) continue
    throw new ToolError(
      'TOOL_NOT_CALLABLE',
      `${attempt.tool.id}: ${JSON.stringify(name)} names no variable.`,
      {
        hint: 'Names under config.env have letters, digits and _.',
      },
    )
  }
  return variables
}

/** Other users of the machine can read the arguments of a command, so a secret is none. */
function unfitSecret({ tool }: Attempt, name: string): ToolError {
  return new ToolError(
    'TOOL_NOT_CALLABLE',
    `${tool.id}: the secret ${name} cannot be handed to a container unseen: it has line ends, quotes, backslashes or blanks at its ends, or is very long.`,
    { hint: 'Keep it in base64 and decode it in the container.' },
  )
}

/** Whether every engine reads the value literally from a line of a file. */
function fitsLine(name: string, value: string): boolean {
  const isPlain = /^[^\s"'`\\](?:[^\n\r\0"'`\\]*[^\s"'`\\])?$|^$/.test(value)
  return isPlain && Buffer.byteLength(`${name}=${value}`) < maxLine
}

export interface VariableFlags {
  readonly args: readonly string[]
  readonly handovers: readonly { readonly fd: number; readonly bytes: Uint8Array }[]
}

/** Values that every engine reads literally from a file go there; others, none of them secrets, are arguments. */
export function variableFlags(variables: { readonly [name: string]: string }): VariableFlags {
  const lines: string[] = []
  const args: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    const text = `${name}=${value}`
    if (fitsLine(name, value)) lines.push(`${text}\n`)
    else args.push('--env', text)
  }
  if (lines.length === 0) return { args, handovers: [] }
  return {
    args: ['--env-file', `/dev/fd/${fileDescriptor}`, ...args],
    handovers: [{ fd: fileDescriptor, bytes: Buffer.from(lines.join('')) }],
  }
}
