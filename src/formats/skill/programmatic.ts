// Skills made in code: named like files' skills, found before them, called with `(ctx, args)`.
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { makeSkill } from './make-skill.ts'

export interface SkillTool {
  readonly name: string
  readonly fn: (ctx: never, args: never) => unknown
  readonly frontmatter?: { readonly [key: string]: unknown }
}

/** How the kernel hands an attempt to a function. */
type Run = (params: unknown, attempt: { readonly call: object }) => unknown

export function makeProgrammaticSkill(given: SkillTool): { readonly tool: Tool; readonly run: Run } {
  const { tool, problems } = makeSkill({
    fields: { ...given.frontmatter, name: given.name },
    positionOf: () => ({ line: 1, column: 1 }),
    file: null,
    digest: '',
    tier: 'project',
    facts: { form: 'code', entry: -1, entryDir: '', isExternal: false },
  })
  const fault = [...problems, ...(tool?.problems ?? [])].find((problem) => problem.severity === 'error')
  if (!tool || fault)
    throw new ToolError('TOOL_INVALID', `${fault?.code}: ${fault?.message}`, {
      hint: fault?.hint,
    })
  const fn = given.fn as (ctx: unknown, args: unknown) => unknown
  return {
    tool: { ...tool, runtime: { name: 'function', plan: { function: tool.id } } },
    run: (params, attempt) => fn((attempt.call as { context: unknown }).context, params),
  }
}
