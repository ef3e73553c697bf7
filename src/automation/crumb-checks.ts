// Which breadcrumbs are looked at before they are stored, by schema: everything that can be judged without a store.

import { configCheck } from '../events/configs.ts'
import type { CrumbCheck, CrumbChecks } from '../events/crumbs.ts'
import { toolCheck } from '../events/tool-crumbs.ts'
import { defaultWorkspace } from '../store/crumb.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { requestCheck } from './request-check.ts'
import { scheduleCheck } from './schedules.ts'

export interface CheckParts {
  /** Every tool of the catalog, in precedence order. */
  tools(): readonly Tool[]
  readonly workspaces?: readonly string[]
  /** Hears of what is stored and will be ignored. */
  warn?(message: string): void
}

export function crumbChecks({ tools, workspaces = [defaultWorkspace], warn }: CheckParts): CrumbChecks {
  return {
    'tool.code.v1': toolCheck,
    'tool.v1': refuseLegacy,
    'tool.config.v1': configCheck((name) => tools().find((tool) => tool.id === name)),
    'tool.request.v1': requestCheck(workspaces, warn),
    'schedule.definition.v1': scheduleCheck,
  }
}

const refuseLegacy: CrumbCheck = () => {
  throw new ToolError('TOOL_INVALID', 'tool.v1 is not supported.', {
    details: [{ code: 'tc-legacy-v1', severity: 'error', message: 'tool.v1 is not supported.' }],
    hint: 'Make it a tool.code.v1 document with context.code.source exporting execute.',
  })
}
