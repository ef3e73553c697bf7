// Which tool does a name mean to somebody with limits? A tool outside the limits and one that is not there get the same
// answer and the same record, so that no refusal tells what there is (G17).
import { clip } from '../automation/engine.ts'
import type { Resolve } from '../catalog/resolver.ts'
import { isUnrestricted, type Principal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import type { CribCore } from './crib-core.ts'

interface Parts extends Pick<CribCore, 'offers' | 'crumbs'> {
  readonly resolve: Resolve
}

interface Asking {
  readonly as: Principal
  /** The id that the run has already. */
  readonly runId?: string | undefined
}

/** The tool to call; one that is out of sight is refused, and that recorded. */
export async function toolInSight(crib: Parts, ref: string, { as, runId }: Asking): Promise<Tool> {
  if (isUnrestricted(as)) return crib.resolve(ref, { as, load: 'static' })
  const tool = await foundBy(crib, ref, as)
  if (tool && crib.offers.isVisible(tool, as)) return tool
  throw recordedOutOfSight(crib, ref, { as, runId })
}

/** Puts on record that somebody asked for a tool out of sight, under the name that was asked for. */
export function recordedOutOfSight(
  { crumbs }: Pick<Parts, 'crumbs'>,
  ref: string,
  { as, runId }: Asking,
): ToolError {
  const error = outOfSight(clip(ref, 200), as)
  const { code, message } = error
  crumbs.runs.recordDenial({
    runId,
    tool: clip(ref, 200),
    caller: as.name,
    surface: as.surface,
    code,
    message,
  })
  return error
}

/** Why a name leads nowhere is not said either: it may be the name of a tool that this one may not know of. */
async function foundBy(crib: Parts, ref: string, as: Principal): Promise<Tool | undefined> {
  try {
    return await crib.resolve(ref, { as, load: 'static' })
  } catch (error) {
    if (isToolError(error)) return undefined
    throw error
  }
}

/** The code tells which of its limits one must have more of, whatever was asked for. */
function outOfSight(ref: string, { name, allowedTools, offer }: Principal): ToolError {
  const isListed = allowedTools !== undefined || offer !== undefined
  return new ToolError(
    isListed ? 'TOOL_DENIED' : 'CAPABILITY_DENIED',
    `There is no tool "${ref}" among those that ${name} may call.`,
    { hint: 'Its list of tools names all it may call; `toolcrib tokens list` says what limits it.' },
  )
}

/** Throws where whoever asks has limits and must not know of the tool; any other call is left to be answered. */
export async function mustBeInSight(crib: Parts, ref: string, asking: Asking): Promise<void> {
  if (!isUnrestricted(asking.as)) await toolInSight(crib, ref, asking)
}
