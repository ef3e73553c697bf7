// What a caller gave, to an object of parameters: text parsed, nulls dropped, strangers and numbers that cannot
// be passed on exactly refused. Runs before schema defaults and validation.
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { nearNames } from '../../tool/near-names.ts'
import { compilePattern } from '../../tool/pattern.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { declaredNames, declaredPatterns } from './parameters.ts'

/** Throws PARAMS_INVALID naming the tool, the parameter and what was expected. */
export function normaliseArgs(args: unknown, tool: Pick<Tool, 'id' | 'params'>): Record<string, unknown> {
  const given = readArgs(args, tool.id)
  const params: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    refuseUnsafe(value, name, tool.id, 0)
    if (name === '__proto__')
      Object.defineProperty(params, name, { value, enumerable: true, writable: true, configurable: true })
    else params[name] = value
  }
  refuseUndeclared(Object.keys(params), tool)
  return params
}

function readArgs(args: unknown, toolId: string): Record<string, unknown> {
  if (args === undefined || args === null) return {}
  let value: unknown = args
  if (typeof args === 'string') {
    try {
      value = JSON.parse(args) as unknown
    } catch (error) {
      throw new ToolError(
        'PARAMS_INVALID',
        `${toolId}: the parameters are text that is not JSON: ${(error as Error).message}.`,
        {
          hint: 'Send an object, or the JSON text of one.',
        },
      )
    }
    if (value === null) return {}
  }
  if (isPlainObject(value)) return value
  throw new ToolError(
    'PARAMS_INVALID',
    `${toolId}: the parameters must be an object, not ${kindOf(value)}.`,
    {
      hint: 'Send an object with one member per parameter.',
    },
  )
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

// Deeper values never reach a command line, so a bound on depth costs nothing.
const maxDepth = 64

function refuseUnsafe(value: unknown, name: string, toolId: string, depth: number): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
      throw new ToolError(
        'PARAMS_INVALID',
        `${toolId}: the number in "${name}" is beyond what can be passed on exactly; send it as a string.`,
        {
          details: [{ pointer: `/${name}`, keyword: 'safe-integer', message: 'send it as a string' }],
        },
      )
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= maxDepth)
      throw new ToolError(
        'PARAMS_INVALID',
        `${toolId}: the value of "${name}" is nested deeper than ${maxDepth} levels.`,
        { details: [{ pointer: `/${name}`, keyword: 'depth', message: 'is nested too deeply' }] },
      )
    for (const item of Object.values(value)) refuseUnsafe(item, name, toolId, depth + 1)
  }
}

const namesOf = new WeakMap<
  JsonObject,
  { declared: readonly string[] | undefined; allows(name: string): boolean }
>()

function refuseUndeclared(names: readonly string[], tool: Pick<Tool, 'id' | 'params'>): void {
  if (!tool.params) return
  const { declared, allows } = namesIn(tool.params)
  if (!declared) return
  const strangers = names.filter((name) => !allows(name))
  if (strangers.length === 0) return
  const near = nearNames(strangers[0]!, declared, 1)
  throw new ToolError(
    'PARAMS_INVALID',
    `${tool.id}: ${strangers.map((name) => JSON.stringify(name)).join(', ')} ${strangers.length > 1 ? 'are no declared parameters' : 'is no declared parameter'}; declared: ${declared.join(', ') || 'none'}.`,
    {
      hint: near.length > 0 ? `Did you mean "${near[0]}"?` : undefined,
      details: strangers.map((name) => ({
        pointer: `/${name}`,
        keyword: 'additionalProperties',
        message: 'is no declared parameter',
      })),
    },
  )
}

function namesIn(schema: JsonSchema) {
  let known = namesOf.get(schema)
  if (!known) {
    const declared = declaredNames(schema)
    const exact = new Set(declared)
    const patterns = declaredPatterns(schema).map((source) => compilePattern(source))
    known = { declared, allows: (name) => exact.has(name) || patterns.some((pattern) => pattern.test(name)) }
    namesOf.set(schema, known)
  }
  return known
}
