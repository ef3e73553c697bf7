// What the server of a package needs before it starts: a home, and a package that is there (D9, D10).
import { makeFolder } from '../../config/make-folder.ts'
import type { Spaces } from '../../config/spaces.ts'
import type { PackageRunner } from '../../formats/mcp/package-runner.ts'
import { homeFolder } from '../../formats/mcp/server-folder.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'

/** A home folder of its own that lasts; made when it is missing (D10). */
export function serverHome(spaces: Pick<Spaces, 'state'>, name: string): string {
  const home = homeFolder(spaces.state, name)
  makeFolder(home, 0o700)
  return home
}

/** Said at once of an entry whose package nobody installed: fetching it would need network at every start. */
export function notInstalled(spec: McpServerSpec, { spec: named }: PackageRunner): ToolError {
  const command = [spec.command, ...(spec.args ?? [])].join(' ')
  return new ToolError(
    'RUNTIME_MISSING',
    `The MCP server "${spec.name}" is the package ${named}, which was never added to this crib.`,
    {
      hint: `\`toolcrib add --from claude-code\` installs and pins all servers of .mcp.json; for this one alone: toolcrib add ${spec.name} -- ${command}`,
    },
  )
}
