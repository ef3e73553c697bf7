// The tool that a path names, judged for whoever sent the request as a call by name is.
import type { Crib } from '../../crib/crib.ts'
import { toolInSight } from '../../crib/tool-in-sight.ts'
import { failureOf } from '../../tool/failure-of.ts'
import type { Failure } from '../../tool/outcome.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { maySee } from './principals.ts'
import { HttpProblem } from './problem-json.ts'

/** The tool to call; the outcome of that call where it would be of a tool that the token must not know of (G17). */
export async function toolToCall(crib: Crib, id: string, principal: Principal): Promise<Tool | Failure> {
  try {
    return await toolInSight(crib, decodeURIComponent(id), { as: principal })
  } catch (error) {
    if (isToolError(error) && !isUnrestricted(principal)) return failureOf(error)
    throw error
  }
}

/** The tool to look at: admins see hidden skills and middleware too, as `list --all` does. */
export async function toolToShow(crib: Crib, id: string, principal: Principal): Promise<Tool> {
  const tool = await findTool(crib, id, principal)
  if (maySee(principal, tool, crib)) return tool
  throw noTool(id)
}

/** AUTH_REQUIRED speaks of a server whose tools nobody knows yet, so nobody knows whether this token may see them. */
const missingCodes = new Set(['TOOL_NOT_FOUND', 'TOOL_NOT_ALLOWED', 'AUTH_REQUIRED'])

async function findTool(crib: Crib, id: string, principal: Principal): Promise<Tool> {
  const surface = principal.isAdmin ? 'console' : 'http'
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
