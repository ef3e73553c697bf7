// With what? Arguments are checked before anything runs; where the format wants it, defaults are filled into
// a copy. Tools without a schema take no arguments from outside.
import type { Guard } from '../kernel/pipeline.ts'
import { isPlainObject } from '../tool/json.ts'
import { validateParams } from '../tool/schema/validate.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { GuardServices } from './services.ts'

export function params(services: GuardServices): Guard {
  return {
    name: 'params',
    after: '$configure',
    inChainEntries: false,
    run(call) {
      const { tool } = call
      const traits = services.traits(tool)
      const given = traits.normaliseArgs ? traits.normaliseArgs(call.args, tool) : call.args
      if (tool.params === null) {
        if (call.caller.isPublic && !isNothing(given))
          throw new ToolError('PARAMS_INVALID', `${tool.id} takes no arguments.`, {
            hint: 'Call it without parameters, or declare them in its definition.',
          })
        call.params = given ?? {}
        return
      }
      call.params = validateParams(tool.id, tool.params, given ?? {}, traits.fillDefaults)
    },
  }
}

function isNothing(args: unknown): boolean {
  return args === undefined || args === null || (isPlainObject(args) && Object.keys(args).length === 0)
}
