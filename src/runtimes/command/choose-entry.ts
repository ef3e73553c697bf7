// Which execution entry a call uses: the one whose condition on given parameters holds, else the one without.
import { ToolError } from '../../tool/tool-error.ts'
import type { CompiledEntry, CompiledPlan } from './compile-plan.ts'

/** `given` are the names the caller passed with a value, before defaults. */
export function chooseEntry(
  plan: CompiledPlan,
  given: () => ReadonlySet<string>,
  toolId: string,
): CompiledEntry {
  const [only] = plan.entries
  if (plan.entries.length === 1 && !only!.paramCondition) return only!
  const names = given()
  const matching = plan.entries.filter((entry) => entry.paramCondition && holds(entry.paramCondition, names))
  if (matching.length === 1) return matching[0]!
  const plain = plan.entries.find((entry) => !entry.paramCondition)
  if (matching.length === 0 && plain) return plain
  if (plan.entries.length === 0)
    throw new ToolError(
      'COMMAND_NOT_ALLOWED',
      `${toolId} has no execution entry, so nothing may be run for it.`,
      { hint: 'See `toolcrib check`.' },
    )
  throw new ToolError(
    'PARAMS_INVALID',
    `${toolId}: ${matching.length === 0 ? 'no combination of parameters matches' : 'more than one combination of parameters matches'}; use exactly one of: ${combinations(plan)}.`,
  )
}

type Condition = NonNullable<CompiledEntry['paramCondition']>

function holds(condition: Condition, given: ReadonlySet<string>): boolean {
  return (
    condition.present.every((name) => given.has(name)) && condition.absent.every((name) => !given.has(name))
  )
}

function combinations(plan: CompiledPlan): string {
  return plan.entries
    .flatMap((entry) => (entry.paramCondition ? [entry.paramCondition] : []))
    .map(({ present, absent }) => {
      const parts = [
        present.length > 0 ? `with ${present.join(', ')}` : '',
        absent.length > 0 ? `without ${absent.join(', ')}` : '',
      ]
      return `(${parts.filter((part) => part !== '').join(' ') || 'any parameters'})`
    })
    .join(' or ')
}
