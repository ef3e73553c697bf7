// GET /api/tools and GET /api/tools/{id}: the catalog, without what the token may not see.

import { isUnrestricted } from '../../../tool/principal.ts'
import { problemShape } from '../../../tool/problem-shape.ts'
import { t } from '../../../tool/shape.ts'
import type { FormatName, ToolKind } from '../../../tool/tool.ts'
import { describeTool } from '../../describe-tool.ts'
import { toolDescriptionShape } from '../../tool-description-shape.ts'
import { anyToken } from '../access.ts'
import { toolToShow } from '../find-tool.ts'
import { maySee } from '../principals.ts'
import { json, type Route, route } from '../route.ts'

export const toolId = 'Id of the tool; may contain slashes.'
export const toolRoutes: readonly Route[] = [
  route({
    id: 'listTools',
    method: 'get',
    path: '/api/tools',
    summary: 'Tools in the crib',
    access: anyToken,
    query: t.object({
      query: t.optional(t.text({ description: 'Words to search for, best first.' })),
      format: t.optional(t.text()),
      kind: t.optional(t.text()),
      tag: t.optional(t.text()),
      all: t.boolean({
        default: false,
        description: 'Hidden, middleware, runtimes and unavailable ones too.',
      }),
    }),
    answers: {
      200: json(
        'Tools and problems',
        t.object({ tools: t.list(toolDescriptionShape.properties.tool), problems: t.list(problemShape) }),
      ),
    },
    async handle({ principal, query: { query, format, kind, ...filter } }, { crib }) {
      await crib.discover({ timeoutMs: 10_000 })
      const asked = {
        ...filter,
        format: format as FormatName | undefined,
        kind: kind as ToolKind | undefined,
      }
      let tools = crib.list(asked).filter((tool) => maySee(principal, tool, crib))
      if (query) {
        const hits = await crib.search(query, 100)
        tools = hits.map((hit) => hit.tool).filter((tool) => tools.includes(tool))
      }
      const seen = new Set(tools.map((tool) => tool.id))
      const problems = isUnrestricted(principal)
        ? crib.problems
        : crib.problems.filter((problem) => problem.toolId !== undefined && seen.has(problem.toolId))
      return { tools, problems }
    },
  }),
  route({
    id: 'showTool',
    method: 'get',
    path: '/api/tools/:id{.+}',
    summary: 'Everything about one tool',
    access: anyToken,
    params: { id: toolId },
    answers: { 200: json('The tool', toolDescriptionShape) },
    handle: async ({ params, principal }, { crib }) =>
      describeTool(crib, await toolToShow(crib, params.id, principal)),
  }),
]
