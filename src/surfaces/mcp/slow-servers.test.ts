// Clients do not wait for foreign servers to be greeted, and hear when a list is complete.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { openCrib } from '../../crib/open-crib.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { askModern } from './fixtures/modern-client.ts'
import { rawClient } from './fixtures/raw-client.ts'

/** A server that answers nothing until it is let. */
async function heldServer(): Promise<{ url: string; asked: Promise<void>; release(): void }> {
  let release!: () => void
  let hear!: () => void
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const asked = new Promise<void>((resolve) => {
    hear = resolve
  })
  const handler = createMcpHandler(() => {
    const own = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: {} } })
    own.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'late', inputSchema: { type: 'object' } }],
    }))
    return own
  })
  const listener = createServer(
    getRequestListener(async (request) => {
      hear()
      await released
      return handler.fetch(request)
    }),
  )
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    release()
    await handler.close()
    listener.closeAllConnections()
    listener.close()
  })
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`, asked, release }
}

it('greets clients of both eras while a server is silent, and tells them when its tools are there', async () => {
  verifies('U9')
  const { url, asked, release } = await heldServer()
  const root = tempFolder()
  const mcp = { servers: { slow: { url } }, listTimeoutMs: 20 }
  const crib = await openCrib({ root, env: { HOME: root }, config: { mcp } })
  const served = await serveCrib(crib, { port: 0, bootstrap: false })
  onTestFinished(async () => {
    await served.close(0)
    await crib.close()
  })
  await asked
  const at = { url: served.url, token: served.token! }
  expect((await askModern(at, 'server/discover')).result).toMatchObject({
    capabilities: { tools: { listChanged: true } },
  })
  const { ask, notices, server } = await rawClient(crib)
  expect(server).toMatchObject({ serverInfo: { name: 'toolcrib' } })
  const names = async () => JSON.stringify((await ask('tools/list')).result)
  expect(await names()).not.toContain('slow-late')
  release()
  await vi.waitFor(() =>
    expect(notices.map(({ method }) => method)).toContain('notifications/tools/list_changed'),
  )
  expect(await names()).toContain('slow-late')
})
