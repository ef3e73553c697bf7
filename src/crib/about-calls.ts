// Why a tool that is there is refused, and where the time of its last runs went.
import { existsSync } from 'node:fs'
import type { Finding } from '../catalog/why.ts'
import type { Config } from '../config/config.ts'
import type { GuardServices } from '../guards/services.ts'
import type { Tool } from '../tool/tool.ts'
import type { CrumbRoom } from './crumb-room.ts'

/** Adds to what the definition says what guards would, and what the record knows. */
export async function aboutCalls(
  tool: Tool,
  findings: readonly Finding[],
  config: Config,
  services: GuardServices,
  crumbs: CrumbRoom,
): Promise<Finding[]> {
  const { whyRefused } = await import('../guards/why-refused.ts')
  const refusals = whyRefused(tool, config, await services.trustOf(tool))
  const isFree = refusals.every(({ code }) => code === 'approval')
  const isStored = /^\w+:\/\//.test(config.store) || existsSync(config.store)
  const { timesOf } = await import('../runs/where-time-went.ts')
  const times = isStored ? await timesOf(tool.id, crumbs.runs) : []
  return [...refusals, ...findings.filter(({ code }) => isFree || code !== 'fine'), ...times]
}
