// The broker of a crib without a breadcrumb store: runs get their request, and every store call says why not.
import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Broker, BrokerSession } from './broker.ts'

const refuse = (): Promise<never> =>
  Promise.reject(new ToolError('STORE_UNAVAILABLE', 'this crib has no breadcrumb store'))

export const noStore: Broker = {
  open: async (run) => {
    const session: BrokerSession = {
      owner: 'local',
      workspace: 'workspace:tools',
      request: {
        id: `call-${randomUUID()}`,
        workspace: 'workspace:tools',
        agentId: 'local',
        trigger_event: {
          schema_name: 'tool.request.v1',
          tags: ['tool:request', 'workspace:tools'],
          timestamp: new Date().toISOString(),
          context: { tool: run.tool.id, input: (run.params ?? {}) as Json },
        },
      },
      config: {} as JsonObject,
      get: refuse,
      view: refuse,
      create: refuse,
      update: refuse,
      remove: refuse,
      search: refuse,
      rank: refuse,
      findSecret: async () => undefined,
      readSecret: refuse,
      noteSecret: () => {},
    }
    return session
  },
}
