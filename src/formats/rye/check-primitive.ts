// What each primitive demands of its configuration, as far as reading can tell.
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { RyePrimitive } from '../../tool/plans/rye-plan.ts'
import type { RyeFacts } from './facts.ts'
import { describe } from './field-values.ts'
import type { RyeCode } from './severity.ts'
import type { FieldName } from './shapes.ts'

export interface PlanProblem {
  readonly code: RyeCode
  readonly field: FieldName
  readonly message: string
  readonly hint: string
}

const builtIn = new Set(
  'tool_path tool_dir tool_parent anchor_path runtime_lib project_path user_space system_space params_json request_id'.split(
    ' ',
  ),
)
const operations = ['read', 'write', 'append', 'list', 'delete']

export function checkPrimitive(
  primitive: RyePrimitive,
  config: JsonObject,
  facts: RyeFacts,
  isCode: boolean,
): PlanProblem[] {
  const problems: PlanProblem[] = []
  const missing = (key: string, hint: string): void => {
    if (typeof config[key] !== 'string' || config[key] === '')
      problems.push({ code: 'missing-field', field: 'config', message: `config.${key} is missing.`, hint })
  }
  if (primitive === 'http_client')
    missing('url', 'Set config.url, for example https://api.example.com/{name}.')
  if (primitive === 'docker') missing('image', 'Name the image to run, for example python:3.11.')
  if (primitive === 'filesystem') {
    missing('path', 'Set config.path, for example notes/{name}.txt.')
    if (!operations.includes(config['operation'] as string))
      problems.push({
        code: 'missing-field',
        field: 'config',
        message: `config.operation is ${describe(config['operation'])}.`,
        hint: `Use one of ${operations.join(', ')}.`,
      })
  }
  problems.push(...checkArguments(config['args'], facts))
  const command = config['command']
  if (!isCode && (primitive === 'subprocess' || primitive === 'docker') && typeof command === 'string') {
    const name = paramIn(command, config, facts)
    if (name && config['shell'] !== undefined)
      problems.push({
        code: 'shell-template',
        field: 'config',
        message: `config.command is shell text and inserts the parameter {${name}}.`,
        hint: `Write "$PARAM_${name.toUpperCase().replace(/\W/g, '_')}" instead: a value must never become shell text.`,
      })
    else if (name)
      problems.push({
        code: 'command-from-param',
        field: 'config',
        message: `config.command takes the program from the parameter {${name}}.`,
        hint: 'Name a fixed program and pass the parameter in args.',
      })
  }
  return problems
}

const argumentKeys = ['param', 'flag', 'else', 'together', 'allow_dash']

/** Entries of `args` that are maps name one declared parameter. */
function checkArguments(args: Json | undefined, facts: RyeFacts): PlanProblem[] {
  if (!Array.isArray(args)) return []
  return (args as Json[]).flatMap((entry, index): PlanProblem[] => {
    if (!isPlainObject(entry)) return []
    const wrong = Object.keys(entry).find((key) => !argumentKeys.includes(key))
    const { param } = entry
    if (wrong === undefined && typeof param === 'string' && facts.declaredParams.includes(param)) return []
    return [
      {
        code: 'field-type',
        field: 'config',
        message:
          wrong !== undefined
            ? `config.args[${index}] has the unknown key ${describe(wrong)}.`
            : `config.args[${index}] names the parameter ${describe(param)}, which is not declared.`,
        hint: `An argument is a text, or { param } with any of ${argumentKeys.slice(1).join(', ')}; its parameter stands in the schema.`,
      },
    ]
  })
}

function paramIn(text: string, config: JsonObject, facts: RyeFacts): string | undefined {
  for (const match of text.replaceAll(/\{\{\w+\}\}/g, '').matchAll(/(?<!\$)\{([A-Za-z_]\w*)\}/g)) {
    const name = match[1]!
    if (!builtIn.has(name) && facts.declaredParams.includes(name) && !Object.hasOwn(config, name)) return name
  }
  return undefined
}
