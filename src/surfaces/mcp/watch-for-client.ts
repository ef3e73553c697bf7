// Changes of resources of foreign servers, told to a client that subscribed to them (U1). Whoever may not read one hears
// nothing of it, from the moment on when that is so.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { errorData } from '../../tool/tool-error.ts'
import { resourceAt } from '../resource-at.ts'
import type { ClientCatalog } from './client-catalog.ts'

/** A server may say without end that something changed: so often a client hears of it, and of so many addresses. */
const gatherMs = 50
const maxAtOnce = 20

/**
 * Resolves when the server of the resource has agreed, with how to stop; undefined for an address that is no foreign
 * server's. `tell` is given the address of what changed: this one, or one below it.
 */
export async function watchForClient(
  { crib, foreign, principal }: ClientCatalog,
  uri: string,
  tell: (uri: string) => void,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  const found = resourceAt(uri, foreign.resources, foreign.templates)
  if (!found) {
    if (crib.catalog.atAddress(uri)) throw refused(`There is no resource ${uri}.`)
    return undefined
  }
  const { params } = found
  const own = params.uri ?? planOf(found.tool, 'mcp')!.tool
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let leave: (() => void) | undefined

  /** The resource as it is now; throws what keeps this one from reading it. */
  const readable = async (): Promise<Tool> => {
    const tool = crib.catalog.same(found.tool)
    if (!tool) throw refused(`There is no resource ${uri}.`)
    const [refusal] = await crib.refusals(tool, params, { principal })
    if (refusal) throw refused(refusal.message)
    return tool
  }
  const stop = () => {
    isOver = true
    clearTimeout(timer)
    crib.off('tool-changed', look)
    leave?.()
  }
  /** Its server is not started again, and hears that nobody listens, when it is none of the crib's any more. */
  const look = () => {
    if (!crib.catalog.same(found.tool)) stop()
  }
  const tellAll = async () => {
    timer = undefined
    const uris = changed.size > maxAtOnce ? [own] : [...changed]
    changed.clear()
    const isAllowed = await readable().then(
      () => true,
      () => false,
    )
    if (isAllowed && !isOver) for (const one of uris) tell(uri + one.slice(own.length))
  }
  const onUpdated = (one: string) => {
    if (changed.size <= maxAtOnce) changed.add(one)
    timer ??= setTimeout(() => void tellAll(), gatherMs)
  }
  await readable()
  crib.setMaxListeners(0).on('tool-changed', look)
  try {
    leave = await crib.watchResource(readable, { uri: own, onUpdated }, principal, signal)
  } catch (error) {
    stop()
    if (error instanceof ProtocolError) throw error
    throw refused(errorData(error).message)
  }
  if (isOver) leave()
  return stop
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, message)
}
