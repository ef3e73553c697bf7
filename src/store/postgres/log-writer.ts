// Crumbs are written to PostgreSQL through the appender, which gathers writes into one call.
import type { LogWriter } from '../crumb-table.ts'
import { type Appender, keyFields, opOf, plain, requestFields } from './appender.ts'

export function postgresLogWriter(appender: Appender): LogWriter {
  return {
    async create(write, principal, options, atMs) {
      const op = {
        ...opOf(write, { kind: 'create', type: 'created', principal, atMs }),
        ...keyFields(options.unique),
        ...requestFields(options.request),
      }
      const [result] = await appender.append([op])
      const { taken, version, digest } = result!
      if (taken === undefined) return { id: write.crumb.id, version: 1, isNew: true }
      return { id: taken, version: version!, isNew: false, digest: digest ?? undefined }
    },

    async change({ write, type, expected, former, principal, atMs, reason }) {
      const isMoved = former !== undefined && former !== write.crumb.schema_name
      const op = {
        ...opOf(write, { kind: 'change', type, principal, atMs }),
        expected,
        former: isMoved ? plain(former) : undefined,
        reason,
      }
      const [result] = await appender.append([op])
      if (result!.gone) return 'gone'
      return result!.seq === undefined ? result!.version! : 'done'
    },
  }
}
