// Prompts: the crib's skills, those of the program that embeds it, and those of foreign servers.
import {
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server'
import { giveToClient } from './client-call.ts'
import { type Desk, listed } from './desk.ts'
import { readForeign } from './read-foreign.ts'
import { aboutFiles, promptText } from './read-skill.ts'

export function servePrompts(server: Server, desk: Desk): void {
  server.setRequestHandler('prompts/list', async () => {
    await listed(desk)
    return { prompts: [...desk.prompts] }
  })
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const { name, arguments: args = {} } = params
    const extra = desk.extras.prompts?.find((prompt) => prompt.name === name)
    if (extra) {
      const what = { tool: `prompt ${name}`, args }
      return giveToClient({ desk, server, context }, what, (asks) => extra.get(args, asks))
    }
    const foreign = desk.foreign.prompts.get(name)
    if (foreign) return readForeign<GetPromptResult>({ desk, server, context }, foreign, args)
    const skill = desk.skills.get(name)
    if (!skill) throw noPrompt(name)
    const text = promptText(desk.crib.described(skill), args, (tool, given) =>
      desk.crib.expandPrompt(tool, given, desk.principal),
    )
    const about = aboutFiles(skill, desk.crib.root)
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
