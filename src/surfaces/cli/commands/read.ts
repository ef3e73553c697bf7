// `toolcrib read`: what a resource of a foreign MCP server holds.
import { isPlainObject } from '../../../tool/json.ts'
import { nearNames } from '../../../tool/near-names.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { type FoundResource, resourceAt } from '../../resource-at.ts'
import { askServers } from '../ask-servers.ts'
import { attendApprovals } from '../attend-approvals.ts'
import { report } from '../call-and-report.ts'
import type { CliCommand } from '../command.ts'
import type { Session } from '../session.ts'
import { printable } from '../style.ts'

export const read: CliCommand = {
  examples: [
    ['toolcrib list --kind resource', 'which resources there are'],
    ['toolcrib read units://table', 'what one of them holds'],
    ['toolcrib read units://mi > mile.txt', 'its bytes, for a pipe or a file'],
  ],
  define(command) {
    command.argument('<resource>', 'its address or id; also an address that fits a template of a server')
  },
  async run(session, [given]) {
    const { tool, params } = await resourceNamed(session, given!)
    const crib = await session.open()
    const leave = attendApprovals(crib, session, (question) => question())
    const { principal, signal, yes: approved } = session
    const outcome = await crib.call(tool, params, { principal, signal, approved })
    leave()
    if (!outcome.ok) return report(session, outcome)
    const { contents } = outcome.value as { contents: readonly unknown[] }
    if (session.json) session.outJson({ contents })
    else for (const content of contents) write(session, content)
    return 0
  },
}

async function resourceNamed(session: Session, given: string): Promise<FoundResource> {
  const crib = await session.open()
  const known = () =>
    resourceAt(
      given,
      crib.catalog.addresses,
      crib.list({ kind: 'resource' }).filter(({ details }) => details?.uriTemplate !== undefined),
    )
  const found = known()
  if (found) return found
  await askServers(session, (onWaiting) => crib.discover({ onWaiting }))
  const asked = known()
  if (asked) return asked
  if (/^(?!mcp:)[a-z][a-z0-9+.-]*:/i.test(given)) throw noResource(given, crib.catalog.addresses.keys())
  return { tool: mustBeResource(await crib.resolve(given, { as: session.principal })), params: {} }
}

function noResource(uri: string, known: Iterable<string>): ToolError {
  const [near] = nearNames(uri, known, 1)
  return new ToolError('TOOL_NOT_FOUND', `No MCP server of this crib offers the resource ${uri}.`, {
    hint: near === undefined ? 'See `toolcrib list --kind resource`.' : `Did you mean ${near}?`,
  })
}

function mustBeResource(tool: Tool): Tool {
  if (tool.kind === 'resource') return tool
  throw new ToolError('TOOL_NOT_CALLABLE', `${tool.id} is no resource.`, {
    hint: `Call it with \`toolcrib run ${tool.id}\`; see \`toolcrib list --kind resource\`.`,
  })
}

/** Text as text, bytes as bytes; a terminal gets no bytes. */
function write(session: Session, content: unknown): void {
  const { text, blob, uri } = isPlainObject(content) ? content : {}
  if (typeof text === 'string') {
    if (process.stdout.isTTY) session.out(printable(text))
    else process.stdout.write(text)
    return
  }
  const bytes = Buffer.from(typeof blob === 'string' ? blob : '', 'base64')
  if (process.stdout.isTTY)
    session.note(`${String(uri)} holds ${bytes.length} bytes; write them to a file with >.`)
  else process.stdout.write(bytes)
}
