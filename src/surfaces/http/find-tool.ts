// The tool that a path names, judged for whoever sent the request as a call by name is.
import type { Crib } from '../../crib/crib.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { maySee } from './principals.ts'
import { HttpProblem } from './problem-json.ts'

/** The tool to call. A token with limits is not told of near names or disabled skills: they may be of tools it may not see. */
export function toolToCall(crib: Crib, id: string, principal: Principal): Promise<Tool> {
  return findTool(crib, id, principal, 'http')
}

/** The tool to look at: admins see hidden skills and middleware too, as `list --all` does. */
export async function toolToShow(crib: Crib, id: string, principal: Principal): Promise<Tool> {
  const tool = await findTool(crib, id, principal, principal.isAdmin ? 'console' : 'http')
  if (maySee(principal, tool, crib)) return tool
  throw noTool(id)
}

/** AUTH_REQUIRED speaks of a server whose tools nobody knows yet, so nobody knows whether this token may see them. */
const missingCodes = new Set(['TOOL_NOT_FOUND', 'TOOL_NOT_ALLOWED', 'AUTH_REQUIRED'])

async function findTool(
  crib: Crib,
  id: string,
  principal: Principal,
  surface: 'http' | 'console',
): Promise<Tool> {
  try {
    return await crib.resolve(decodeURIComponent(id), { as: { ...principal, surface } })
  } catch (error) {
    const isMissing = isToolError(error) && missingCodes.has(error.code)
    throw isMissing && !isUnrestricted(principal) ? noTool(id) : error
  }
}

function noTool(id: string): HttpProblem {
  return new HttpProblem('TOOL_NOT_FOUND', `There is no tool "${id}" for this token.`)
}
