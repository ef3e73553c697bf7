// `globals.tools`: every skill that has been loaded, as other skills see it.
import type { Tool } from '../../tool/tool.ts'

/** The part of a call's context that is needed here. */
export interface LoadingContext {
  readonly globals: { [key: string]: unknown }
  readonly run: { readonly origin: { readonly uri: string | null; readonly frontmatter: object } }
}

export interface LoadedParts {
  readonly fn: unknown
  /** Set once a code skill is imported. */
  readonly module?: object
  /** Markdown skills: the text after the frontmatter. */
  readonly content?: string
}

/** Puts a skill on the list, anew when its module or text changed. */
export function noteLoaded(tool: Tool, parts: LoadedParts, context: LoadingContext): void {
  const tools = context.globals['tools'] as { [name: string]: LoadedParts } | undefined
  if (!tools) return
  const known = Object.hasOwn(tools, tool.id) ? tools[tool.id] : undefined
  if (known && known.module === parts.module && known.content === parts.content) return
  const { uri, frontmatter } = context.run.origin
  Object.defineProperty(tools, tool.id, {
    value: Object.freeze({ ...parts, frontmatter, src: uri }),
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
