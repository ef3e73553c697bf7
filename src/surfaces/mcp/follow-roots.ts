// A client of the older era says that the folders it works in changed: foreign servers that its calls reach hear it, and
// may ask it for them.
import type { Server } from '@modelcontextprotocol/server'
import type { ClientCatalog } from './client-catalog.ts'

export function followRoots(server: Server, { crib, principal }: ClientCatalog): void {
  server.setNotificationHandler('notifications/roots/list_changed', async () => {
    if (!server.getClientCapabilities()?.roots) return
    await crib.rootsChanged(principal, () => server.request({ method: 'roots/list' }))
  })
}
