// Which resource of a foreign server an address means: one that is listed, else one whose template it fits (U1).
import { UriTemplate } from '@modelcontextprotocol/server'
import type { Tool } from '../tool/tool.ts'

export interface FoundResource {
  readonly tool: Tool
  /** What its call takes. */
  readonly params: { readonly uri?: string }
}

/** `templates` in precedence order. */
export function resourceAt(
  uri: string,
  addresses: ReadonlyMap<string, Tool>,
  templates: Iterable<Tool>,
): FoundResource | undefined {
  const listed = addresses.get(uri)
  if (listed) return { tool: listed, params: {} }
  for (const tool of templates) if (fits(tool.details?.uriTemplate, uri)) return { tool, params: { uri } }
  return undefined
}

function fits(template: string | undefined, uri: string): boolean {
  if (template === undefined) return false
  try {
    return new UriTemplate(template).match(uri) !== null
  } catch {
    // A template that nobody can read fits nothing.
    return false
  }
}
