// The name a foreign server's tool goes by: `server-tool`, in small letters.
import { sha256 } from './json.ts'

const most = 64

/** `mcpToolName('GitHub', 'create_issue')` → `github-create-issue`; too long a name is cut and told apart by a digest. */
export function mcpToolName(server: string, tool: string): string {
  const name = hyphenated(`${server}-${tool}`)
  return name.length <= most ? name : `${name.slice(0, 55)}-${sha256(name).slice(0, 8)}`
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
