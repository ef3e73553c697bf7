// How a tool is named in a call. Schemes and `format:` prefixes are tested first, then ids, then files.
import { ToolError } from './tool-error.ts'

export type Ref =
  | { readonly kind: 'name'; readonly text: string; readonly action?: string }
  | { readonly kind: 'format'; readonly format: string; readonly id: string; readonly action?: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'inline'; readonly text: string }

/** Which formats there are the catalog knows. */
const formatPrefix = /^([a-z][a-z0-9-]*):/
const fileEnding = /\.(md|js|mjs|cjs|ts|py|ya?ml|json|sh|toml)$/

/** Splits a ref into its form. A name that ends like a file may still be an id: the catalog tries that first. */
export function parseRef(given: string): Ref {
  const text = given.startsWith('tool:') ? given.slice(5) : given
  if (text === '')
    throw new ToolError('REF_INVALID', 'The tool reference is empty.', {
      hint: 'Name a tool; `toolcrib list` shows those there are.',
    })
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)
  if (scheme) return schemeRef(scheme[1]!.toLowerCase(), text)
  const format = formatPrefix.exec(text)?.[1]
  if (format !== undefined) {
    const [id, action] = splitAction(text.slice(format.length + 1))
    return { kind: 'format', format, id, action: action || undefined }
  }
  if (/^(\.{0,2}\/|\.\.?$)/.test(text)) return { kind: 'file', path: text }
  const [id, action] = splitAction(text)
  return { kind: 'name', text: id, action: action || undefined }
}

/** True when a name that is no id should be tried as a file. */
export function looksLikeFile(text: string): boolean {
  return fileEnding.test(text)
}

function splitAction(text: string): [string, string | undefined] {
  const hash = text.indexOf('#')
  return hash > 0 ? [text.slice(0, hash), text.slice(hash + 1)] : [text, undefined]
}

function decodedPath(encoded: string, text: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw new ToolError('REF_INVALID', `"${text}" has a % that stands for no character.`, {
      hint: 'Write %25 for a percent sign in a file:// reference.',
    })
  }
}

function schemeRef(scheme: string, text: string): Ref {
  if (scheme === 'inline') return { kind: 'inline', text }
  const rest = text.slice(scheme.length + 3)
  if (rest.includes('#'))
    throw new ToolError('REF_INVALID', `"${text}" has a #fragment, which only tool ids take.`, {
      hint: 'Leave out # and what follows it.',
    })
  if (scheme === 'file') return { kind: 'file', path: decodedPath(rest, text) }
  if (scheme === 'mcp') {
    const slash = rest.indexOf('/')
    if (slash > 0 && slash < rest.length - 1)
      return { kind: 'mcp', server: rest.slice(0, slash), tool: rest.slice(slash + 1) }
    throw new ToolError('REF_INVALID', `"${text}" is not mcp://server/tool.`, {
      hint: 'Name the server and its tool, as in mcp://github/create_issue.',
    })
  }
  throw new ToolError('REF_INVALID', `"${text}" uses the unknown scheme ${scheme}://.`, {
    hint: 'A tool is named by id, alias, format:id, path, file://, mcp://server/tool or (inside a skill) inline://.',
  })
}
