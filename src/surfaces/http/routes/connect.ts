// GET /api/connect: how MCP clients are told of this crib, and who has called lately.
import { realpathSync } from 'node:fs'
import { t } from '../../../tool/shape.ts'
import { admin } from '../access.ts'
import { json, route } from '../route.ts'

const block = t.object({ block: t.text(), file: t.text({ description: 'Where it goes.' }) })

export const connectRoute = route({
  id: 'connect',
  method: 'get',
  path: '/api/connect',
  summary: 'What to give to MCP clients so that they use this crib',
  access: admin('see how clients are connected'),
  answers: {
    200: json(
      'One entry per client',
      t.object({
        url: t.text({ description: 'Of the MCP endpoint.' }),
        clients: t.list(
          t.object({
            name: t.text(),
            title: t.text(),
            stdio: block,
            http: t.optional(block),
          }),
          { description: '`<token>` stands where the token goes.' },
        ),
      }),
    ),
  },
  async handle({ request }, { crib, oauth }) {
    const { clientConfigs } = await import('../../cli/client-config.ts')
    const url = `${oauth.baseUrl(request)}/mcp`
    return { url, clients: clientConfigs({ root: crib.root, program: realpathSync(process.argv[1]!), url }) }
  },
})
