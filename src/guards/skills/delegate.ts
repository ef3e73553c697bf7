// `metadata.delegate`: another tool, file or inline code answers for this one. A value pre-empts the leaf;
// undefined goes on to it (S35).
import type { Call } from '../../kernel/call.ts'
import type { Wrapper } from '../../kernel/stages.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { GuardServices } from '../services.ts'
import type { MetadataCall } from './skill-calls.ts'

export function delegate(services: Pick<GuardServices, 'runRef' | 'rehearseRef' | 'declaredBy'>): Wrapper {
  function callOf(call: Call): MetadataCall | undefined {
    const ref = call.metadata['delegate']
    if (ref === undefined || ref === null) return undefined
    const declaredBy = services.declaredBy(call.tool, 'delegate')
    if (typeof ref !== 'string')
      throw new ToolError('REF_INVALID', `${declaredBy.id}: delegate must be a reference, a string.`, {
        hint: 'Name a tool, a file such as ./lib/handler.js, or inline://code,…',
      })
    return { from: call, ref, args: call.args, declaredBy }
  }

  return {
    name: 'delegate',
    stage: '$execute',
    needs: ['trust', 'lock', 'params'],
    applies: (_tool, states) => states('delegate'),
    wrap(call) {
      const given = callOf(call)
      return given && services.runRef(given)
    },
    rehearse(call) {
      const given = callOf(call)
      return given && services.rehearseRef(given)
    },
  }
}
