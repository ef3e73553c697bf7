// Which hosts an operation of an API reaches: its server, and where its log-in gets tokens.
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { hostsOf } from '../hosts-of.ts'
import type { ToolParts } from '../tool-parts.ts'

export const openapiParts: ToolParts = { hosts }

function hosts(tool: Tool): string[] {
  const plan = planOf(tool, 'openapi')
  if (!plan) return []
  const addresses = [plan.server, ...plan.credentials.flatMap(({ tokenUrl }) => tokenUrl ?? [])]
  return [...new Set(addresses.flatMap(hostsOf))]
}
