// Changes of resources of foreign servers, told to a client that subscribed to them (U1). Whoever may not read one hears
// nothing of it.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import { errorData } from '../../tool/tool-error.ts'
import { resourceAt } from '../resource-at.ts'
import type { Desk } from './desk.ts'

/**
 * Resolves when the server of the resource has agreed, with how to stop; undefined for an address that is no foreign
 * server's. `tell` is given the address of what changed: this one, or one below it.
 */
export async function watchForClient(
  { crib, foreign, principal }: Desk,
  uri: string,
  tell: (uri: string) => void,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  const found = resourceAt(uri, foreign.resources, foreign.templates)
  if (!found) {
    if (crib.catalog.atAddress(uri)) throw refused(`There is no resource ${uri}.`)
    return undefined
  }
  const { tool, params } = found
  const [refusal] = await crib.refusals(tool, params, { principal })
  if (refusal) throw refused(refusal.message)
  const own = params.uri ?? planOf(tool, 'mcp')!.tool
  const onUpdated = (changed: string) => tell(uri + changed.slice(own.length))
  try {
    return await crib.watchResource(tool, { uri: own, onUpdated }, principal, signal)
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    throw refused(errorData(error).message)
  }
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
}
