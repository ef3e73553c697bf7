// The names a foreign server's tool goes by.
import { sha256 } from './json.ts'

const maxLength = 64

/**
 * `mcpToolName('GitHub', 'create_issue')` → `GitHub-create_issue`: the letters of server and tool, changed only where a
 * model's name cannot hold them; a name that is too long is cut and told apart by a digest. (U3b)
 */
export function mcpToolName(server: string, tool: string): string {
  const whole = `${server}-${tool}`
  const name = whole.replace(/[^A-Za-z0-9_-]/g, '_')
  return name.length <= maxLength ? name : toldApart(name, whole)
}

/** The name version 0.1.0 gave the same tool: `github-create-issue`. Settings, locks and callers may still use it. */
export function formerMcpToolName(server: string, tool: string): string {
  const name = hyphenated(`${server}-${tool}`)
  return name.length <= maxLength ? name : toldApart(name, name)
}

/** A name of at most 64 letters that a digest of the `whole` tells apart from others. */
export function toldApart(name: string, whole: string): string {
  return `${name.slice(0, 55)}-${sha256(whole).slice(0, 8)}`
}

/** The same tool as a URI: `mcp://github/create-issue`. */
export function mcpToolUri(server: string, tool: string): string {
  return `mcp://${hyphenated(server)}/${hyphenated(tool)}`
}

function hyphenated(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
