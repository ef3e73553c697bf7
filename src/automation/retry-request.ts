// A request once more: a new request with the same tool and input, so the first one keeps its one response.

import type { Crumbs, WriteResult } from '../events/crumbs.ts'
import { isPlainObject } from '../tool/json.ts'
import type { Principal } from '../tool/principal.ts'
import { ToolError } from '../tool/tool-error.ts'

/** Throws 404 when there is no such crumb, 422 when it is no request. */
export async function retryRequest(crumbs: Crumbs, id: string, principal: Principal): Promise<WriteResult> {
  const request = await crumbs.crumb(id, principal)
  const given = isPlainObject(request.context) ? request.context : {}
  if (request.schema_name !== 'tool.request.v1')
    throw new ToolError(
      'NOT_A_REQUEST',
      `Breadcrumb ${id} is ${request.schema_name ?? 'without a schema'}, not a tool.request.v1.`,
      {
        hint: 'Name the request; a response and a dead letter carry its id at context.request_breadcrumb_id.',
      },
    )
  // With the same requestId it would count as a duplicate of the first and not be run.
  const { requestId: _, ...context } = given
  return crumbs.create(
    {
      title: request.title,
      schema_name: 'tool.request.v1',
      tags: request.tags,
      context: { ...context, retry_of: id },
    },
    principal,
  )
}
