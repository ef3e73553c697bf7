// `envFile` of a server's entry: variables of its environment from a file of the crib. A tool may be able to write that
// file, so that it never says which code the server loads.
import { relative, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { readBelow } from '../../files/open-below.ts'
import type { McpServerSpec } from '../../tool/plans/mcp-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'

const maxBytes = 65_536
const loading =
  /^(LD_|DYLD_|NODE_|PYTHON|PERL|RUBY|JAVA_|JDK_|BASH_|GIT_|DENO_|BUN_|npm_|NPM_|TOOLCRIB_|PATH$|HOME$|ENV$|SHELL$|IFS$)/

/** The variables of the file; throws CONFIG_INVALID when there is none to read. */
export function readEnvFile(spec: McpServerSpec, project: string): { readonly [name: string]: string } {
  if (spec.envFile === undefined) return {}
  const path = resolve(project, spec.envFile)
  const bytes = isInside(path, project) ? readBelow(project, relative(project, path), maxBytes) : undefined
  if (!bytes)
    throw new ToolError(
      'CONFIG_INVALID',
      `The MCP server "${spec.name}" has the envFile ${spec.envFile}, which is no file inside the crib.`,
      { hint: 'Put it into the crib, or give the variables by env.' },
    )
  return parseEnv(bytes.toString('utf8'))
}

/** Lines `NAME=value`, as `.env` files have them; variables that decide what code is loaded are left out. */
export function parseEnv(text: string): { [name: string]: string } {
  const variables: { [name: string]: string } = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined || loading.test(name)) continue
    const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(value)
    variables[name] = quoted
      ? (quoted[2] ?? quoted[1]!.replace(/\\n/g, '\n').replace(/\\(.)/g, '$1'))
      : value.replace(/\s+#.*$/, '')
  }
  return variables
}
