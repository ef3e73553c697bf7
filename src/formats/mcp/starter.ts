// What `toolcrib new mcp` writes: the program of a small server.
import { type Files, fillTemplates, namesOf, type Starter } from '../starter.ts'

export const starter: Starter = {
  about: 'a small MCP server of your own, for any MCP client',
  languages: ['js'],
  sampleId: 'word-count',
  refOf: (id) => `${namesOf(id).kebab}-count`,
  maxRefLength: 64,
  isServer: true,
}

export function template(id: string): Files {
  return fillTemplates(id, { [`servers/${namesOf(id).kebab}.mjs`]: 'mcp.server.mjs' })
}
