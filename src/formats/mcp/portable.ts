// Tools of MCP servers in portable form. No tool can be written as one: a server is a program.
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { type Body, inexpressible, type PortableForm, portableOf } from '../portable.ts'

export const portable: PortableForm = { read: (tool) => portableOf(tool, serverToolOf(tool)) }

/** A tool of a foreign server, as far as its server is written without variables. */
function serverToolOf(tool: Tool): Body {
  const { server, tool: name } = planOf(tool, 'mcp')!
  const { command, args = [], env = {}, cwd, url, headers = {} } = server
  const texts = [command, ...args, ...Object.values(env), cwd, url, ...Object.values(headers)]
  const odd = texts.find((text) => text !== undefined && /[{}$]/.test(text))
  if (odd !== undefined)
    throw inexpressible(tool.id, `${JSON.stringify(odd)} of its server would be read as a template`)
  return { kind: 'mcp', server, tool: name }
}
