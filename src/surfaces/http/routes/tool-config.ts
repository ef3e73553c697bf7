// GET and PUT /api/tools/{id}/config: the settings form of a tool and what was filled in.
import { parseIfMatch } from '../../../events/crumbs.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { t } from '../../../tool/shape.ts'
import { saveToolSettings, toolSettings } from '../../tool-settings.ts'
import { toolSettingsShape } from '../../tool-settings-shape.ts'
import { anyToken } from '../access.ts'
import { mustRead, mustWrite } from '../crumb-access.ts'
import { toolToShow } from '../find-tool.ts'
import { malformed } from '../query.ts'
import { json, ownBody, Reply, type Route, route } from '../route.ts'
import { ifMatch, writtenShape } from './crumbs.ts'
import { toolId } from './tools.ts'

const configSchema = 'tool.config.v1'

const settingsBody = ownBody(t.object({ config: t.anyObject() }), {
  check(given): { readonly config: unknown } {
    if (!isPlainObject(given) || !('config' in given)) throw malformed('The body is {"config": {…}}.')
    return { config: given['config'] }
  },
})

export const toolConfigRoutes: readonly Route[] = [
  route({
    id: 'toolSettings',
    method: 'get',
    path: '/api/tools/:id{.+}/config',
    summary: 'The settings form of a tool and its values',
    description: 'The settings form of a tool and its values; the ETag is the version of what was saved.',
    access: anyToken,
    params: { id: toolId },
    answers: { 200: json('Settings', toolSettingsShape) },
    async handle({ params, principal }, { crib }) {
      const tool = await toolToShow(crib, params.id, principal)
      mustRead(
        principal,
        { id: tool.id, schema_name: configSchema, created_by: '', context: { tool_name: tool.id } },
        crib,
      )
      const settings = await toolSettings(crib, tool, principal)
      return new Reply(settings, settings.version === null ? {} : { etag: `"${settings.version}"` })
    },
  }),
  route({
    id: 'saveToolSettings',
    method: 'put',
    path: '/api/tools/:id{.+}/config',
    summary: 'Saves the settings of a tool',
    description: 'Saves the settings of a tool; 422 with `errors: [{ pointer, message }]`, 412 by If-Match.',
    access: anyToken,
    params: { id: toolId },
    headers: ifMatch,
    body: settingsBody,
    answers: { 200: json('Saved', writtenShape) },
    async handle({ params, principal, request, body }, { crib }) {
      const tool = await toolToShow(crib, params.id, principal)
      mustWrite(principal, configSchema)
      const expected = parseIfMatch(request.headers.get('if-match') ?? undefined)
      const { config } = await body()
      const { id, version } = await saveToolSettings(crib, tool, { config, principal, ifMatch: expected })
      return new Reply({ ok: true as const, id, version }, { etag: `"${version}"` })
    },
  }),
]
