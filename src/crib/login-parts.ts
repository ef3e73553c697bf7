// What the log-ins of a crib are made with: its store, its APIs and its MCP servers.
import { loginToApi } from '../runtimes/openapi/api-login.ts'
import type { CribLoginsParts } from '../secrets/logins/crib-logins.ts'
import type { CribCore } from './crib-core.ts'
import type { Protection } from './protection.ts'

export function loginParts(crib: CribCore, protection: Protection): CribLoginsParts {
  return {
    isStored: () => crib.crumbs.isThere,
    open: () => crib.crumbs.openLogins(),
    target: async (server, principal) =>
      (await loginToApi(server, {
        tools: crib.catalog.tools,
        profileOf: async (tool) => {
          await protection.load()
          return crib.foreign.profileOf(tool, principal)
        },
        secret: (name, reason) => crib.crumbs.secretNamed(name, reason),
      })) ?? crib.foreign.loginTarget(server, principal),
    refresh: (server) => crib.discover({ server, refresh: true, isPatient: true }),
  }
}
