// With what? Arguments are checked before anything runs; where the format wants it, defaults are filled into
// a copy. Tools without a schema take no arguments from outside.
import type { Check } from '../../kernel/stages.ts'
import { lookedUpIn } from '../../runtimes/skill/globals.ts'
import { isPlainObject } from '../../tool/json.ts'
import { isPublic } from '../../tool/principal.ts'
import { resolveSchema } from '../../tool/schema/resolve-schema.ts'
import { validateParams } from '../../tool/schema/validate.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'
import { contextOf } from '../skills/context-of.ts'

export function params(services: Pick<GuardServices, 'traits'>): Check {
  return {
    name: 'params',
    stage: '$configure',
    inEntries: false,
    judgesArgs: true,
    check(call) {
      const { tool } = call
      const traits = services.traits(tool)
      const given = traits.normaliseArgs ? traits.normaliseArgs(call.args, tool) : call.args
      if (traits.refusesDollarKeys && isPublic(call.principal)) refuseDollarKeys(tool, given)
      if (tool.params === null) {
        if (isPublic(call.principal) && !isNothing(given))
          throw new ToolError('PARAMS_INVALID', `${tool.id} takes no arguments.`, {
            hint: 'Call it without parameters, or declare them in its definition.',
          })
        call.params = isPublic(call.principal) ? (given ?? {}) : given
        return
      }
      const schema =
        '$resolve' in tool.params ? resolveSchema(tool.params, lookedUpIn(contextOf(call))) : tool.params
      if (schema !== tool.params) contextOf(call).run.tool.params = schema
      const judged = traits.judgedSchema?.(schema) ?? schema
      call.params = validateParams(tool.id, judged, given ?? {}, traits.fillDefaults)
    },
  }
}

function refuseDollarKeys(tool: Tool, args: unknown): void {
  if (!isPlainObject(args)) return
  const key = Object.keys(args).find((name) => name.startsWith('$'))
  if (key !== undefined)
    throw new ToolError('PARAMS_INVALID', `${tool.id}: /${key} is not accepted from outside.`, {
      hint: 'Keys that begin with $ are options of calls between skills.',
      details: [{ pointer: `/${key}`, keyword: 'propertyNames', message: 'is not accepted from outside' }],
    })
}

function isNothing(args: unknown): boolean {
  return args === undefined || args === null || (isPlainObject(args) && Object.keys(args).length === 0)
}
