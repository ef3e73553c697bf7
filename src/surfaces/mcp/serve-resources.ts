// Resources: files of the crib's skills, those of the program that embeds it, and those of foreign servers.
import { type ReadResourceResult, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { resourceAt } from '../resource-at.ts'
import { type ClientCatalog, listed } from './client-catalog.ts'
import { readExtra } from './read-extra.ts'
import { readForeign } from './read-foreign.ts'
import { readSkillResource, skillAt } from './read-skill.ts'

export function serveResources(server: Server, clientCatalog: ClientCatalog): void {
  server.setRequestHandler('resources/list', async () => {
    await listed(clientCatalog)
    return { resources: [...clientCatalog.resources] }
  })
  server.setRequestHandler('resources/templates/list', async () => {
    await listed(clientCatalog)
    return { resourceTemplates: [...clientCatalog.templates] }
  })
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => {
    if (skillAt(clientCatalog.skills, uri)) return readSkillResource(clientCatalog.skills, uri)
    const extra = readExtra(clientCatalog.extras, uri)
    if (extra) return extra
    const { resources, templates } = clientCatalog.foreign
    const foreign = resourceAt(uri, resources, templates)
    if (!foreign) throw new ResourceNotFoundError(uri)
    return readForeign<ReadResourceResult>({ clientCatalog, server, context }, foreign.tool, foreign.params)
  })
}
