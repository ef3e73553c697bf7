// Resources: files of the crib's skills, those of the program that embeds it, and those of foreign servers.
import { type ReadResourceResult, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { resourceAt } from '../resource-at.ts'
import { type Desk, listed } from './desk.ts'
import { readExtra } from './read-extra.ts'
import { readForeign } from './read-foreign.ts'
import { readSkillResource, skillAt } from './read-skill.ts'

export function serveResources(server: Server, desk: Desk): void {
  server.setRequestHandler('resources/list', async () => {
    await listed(desk)
    return { resources: [...desk.resources] }
  })
  server.setRequestHandler('resources/templates/list', async () => {
    await listed(desk)
    return { resourceTemplates: [...desk.templates] }
  })
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => {
    if (skillAt(desk.skills, uri)) return readSkillResource(desk.skills, uri)
    const extra = readExtra(desk.extras, uri)
    if (extra) return extra
    const { resources, templates } = desk.foreign
    const foreign = resourceAt(uri, resources, templates)
    if (!foreign) throw new ResourceNotFoundError(uri)
    return readForeign<ReadResourceResult>({ desk, server, context }, foreign.tool, foreign.params)
  })
}
