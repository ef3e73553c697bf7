// A listener on loopback for one person who comes back from an identity provider (RFC 8252).
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ToolError } from '../../tool/tool-error.ts'
import { callbackPage } from './callback-page.ts'

export interface CallbackListener {
  readonly redirectUri: string
  close(): Promise<void>
}

const path = '/callback'

/** `port` is taken when it is free, another one when it is not and need not be this one. */
export async function listenForCallback(
  finish: (callback: URLSearchParams) => Promise<{ readonly name: string }>,
  { port, mustHavePort }: { readonly port: number; readonly mustHavePort: boolean },
): Promise<CallbackListener> {
  const server = createServer(async (request, response) => {
    const base = 'http://127.0.0.1'
    const url = URL.canParse(request.url ?? '', base) ? new URL(request.url!, base) : undefined
    if (request.method !== 'GET' || url?.pathname !== path) {
      response.writeHead(404).end()
      return
    }
    const page = await finish(url.searchParams).then(
      ({ name }) => callbackPage({ server: name }),
      (error: unknown) => callbackPage({ error }),
    )
    response.writeHead(page.status, { ...page.headers, connection: 'close' }).end(page.body)
  })
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: '127.0.0.1', port: at }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  try {
    await listen(port)
  } catch (error) {
    if (mustHavePort)
      throw new ToolError('CONFLICT', `Port ${port} cannot be used: ${(error as Error).message}.`, {
        hint: 'Take another with --port, or leave it away.',
      })
    await listen(0)
  }
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}
