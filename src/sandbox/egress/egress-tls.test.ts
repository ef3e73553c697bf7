// The proxy speaks TLS itself when it is handed a plain request for an https address, so that a placeholder becomes
// the value on the way there; inside a CONNECT tunnel it can replace nothing, and does not try.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request as ask, createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { proves } from '../../../test/helpers/proves.ts'
import { has } from '../../../test/helpers/system-parts.ts'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { EgressProxy, type EgressProxyOptions } from './egress-proxy.ts'

describe.skipIf(!has('openssl'))('an https address asked for in plain', () => {
  let seen: string | undefined

  async function certified() {
    const folder = tempFolder()
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    execFileSync(
      'openssl',
      `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout ${key} -out ${certificate}`.split(
        ' ',
      ),
      { stdio: 'ignore' },
    )
    const pem = readFileSync(certificate, 'utf8')
    const server = createSecureServer({ key: readFileSync(key), cert: pem }, (request, response) => {
      seen = request.headers.authorization
      response.end('secure answer')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { pem, port: (server.address() as AddressInfo).port }
  }

  async function through(
    options: EgressProxyOptions,
    url: string,
  ): Promise<{ status: number; text: string }> {
    const path = join(tempFolder(), 'proxy.sock')
    const proxy = new EgressProxy(options).listen({ path })
    onTestFinished(() => proxy.close())
    return new Promise((resolve, reject) => {
      ask({ socketPath: path, path: url, headers: { authorization: 'Bearer {{secret:KEY}}' } }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
      })
        .on('error', reject)
        .end()
    })
  }

  beforeAll(() => {
    seen = undefined
  })

  it('is reached over TLS, with the value in place of the placeholder', async () => {
    proves('secret-https')
    const { pem, port } = await certified()
    const rule = { mode: 'hosts', hosts: [`127.0.0.1:${port}`] } as const
    const answer = await through(
      { rule, secrets: { KEY: 'v4lue' }, trusted: [pem] },
      `https://127.0.0.1:${port}/`,
    )
    expect(answer).toEqual({ status: 200, text: 'secure answer' })
    expect(seen).toBe('Bearer v4lue')
  })

  it('is refused when its certificate is nobody’s', async () => {
    proves('secret-https')
    seen = undefined
    const { port } = await certified()
    const rule = { mode: 'hosts', hosts: [`127.0.0.1:${port}`] } as const
    const answer = await through({ rule, secrets: { KEY: 'v4lue' } }, `https://127.0.0.1:${port}/`)
    expect(answer).toMatchObject({ status: 502, text: expect.stringContaining('certificate') })
    expect(seen).toBeUndefined()
  })

  it('is refused when the rule does not list it', async () => {
    proves('net-private')
    const { pem, port } = await certified()
    const answer = await through(
      { rule: { mode: 'public', hosts: [] }, trusted: [pem] },
      `https://127.0.0.1:${port}/`,
    )
    expect(answer.status).toBe(403)
  })
})

it('a plain server on another port is spoken to in plain', async () => {
  const server = createServer((_, response) => response.end('plain answer'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const path = join(tempFolder(), 'proxy.sock')
  const proxy = new EgressProxy({ rule: { mode: 'hosts', hosts: [`127.0.0.1:${port}`] } }).listen({ path })
  onTestFinished(() => proxy.close())
  const text = await new Promise<string>((resolve, reject) => {
    ask({ socketPath: path, path: `http://127.0.0.1:${port}/` }, (answer) =>
      answer.setEncoding('utf8').on('data', resolve),
    )
      .on('error', reject)
      .end()
  })
  expect(text).toBe('plain answer')
})
