// Prompts: the crib's skills, those of the program that embeds it, and those of foreign servers.
import {
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server'
import { giveToClient } from './client-call.ts'
import { type ClientCatalog, listed } from './client-catalog.ts'
import { readForeign } from './read-foreign.ts'
import { aboutFiles, promptText } from './read-skill.ts'

export function servePrompts(server: Server, clientCatalog: ClientCatalog): void {
  server.setRequestHandler('prompts/list', async () => {
    await listed(clientCatalog)
    return { prompts: [...clientCatalog.prompts] }
  })
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const { name, arguments: args = {} } = params
    const extra = clientCatalog.extras.prompts?.find((prompt) => prompt.name === name)
    if (extra) {
      const what = { tool: `prompt ${name}`, args }
      return giveToClient({ clientCatalog, server, context }, what, (asks) => extra.get(args, asks))
    }
    const foreign = clientCatalog.foreign.prompts.get(name)
    if (foreign) return readForeign<GetPromptResult>({ clientCatalog, server, context }, foreign, args)
    const skill = clientCatalog.skills.get(name)
    if (!skill) throw noPrompt(name)
    const text = promptText(clientCatalog.crib.described(skill), args, (tool, given) =>
      clientCatalog.crib.expandPrompt(tool, given, clientCatalog.principal),
    )
    const about = aboutFiles(skill, clientCatalog.crib.root)
    const said = about === undefined ? text : `${text}\n\n${about}`
    return {
      description: skill.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: said } }],
    }
  })
}

export function noPrompt(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}".`)
}
