// Is a stored breadcrumb a request, and what does it ask for?
import type { CrumbCheck } from '../events/crumbs.ts'
import { isPlainObject, type Json, type JsonObject, jsonDigest } from '../tool/json.ts'
import { identityOf } from '../tool/principal.ts'

const day = 24 * 60 * 60 * 1000

/** Puts a request into the queue when it is stored; `log` hears of the ones that are ignored. */
export function requestCheck(
  workspaces: readonly string[],
  log: (message: string) => void = () => {},
): CrumbCheck {
  return (draft, principal, current) => {
    if (current !== null || draft.tags.includes('health:check')) return undefined
    const isServed = draft.tags.some((tag) => workspaces.includes(tag))
    if (!draft.tags.includes('tool:request') || !isServed) {
      log(`A tool.request.v1 without the tags tool:request and ${workspaces.join(' or ')} is ignored.`)
      return undefined
    }
    const { tool, input, requestId } = requestOf(draft.context)
    return {
      request: {
        dedupeMs: day,
        tool: typeof tool === 'string' && tool !== '' ? tool : undefined,
        dedupeKey:
          typeof requestId === 'string' && typeof tool === 'string'
            ? // Nobody may keep another one's request from running by asking first.
              jsonDigest([requestId, tool, input ?? {}, identityOf(principal)])
            : undefined,
      },
    }
  }
}

/** The fields of a request; a document of another shape has none. */
export function requestOf(context: Json): { readonly [key: string]: Json | undefined } {
  return isPlainObject(context) ? (context as JsonObject) : {}
}
