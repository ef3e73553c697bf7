import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NetworkRule } from '../sandbox/profile.ts'
import { guardedLookup, NetGuard } from './net-guard.ts'

let server: Server
let guard: NetGuard
let rule: NetworkRule

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/empty') response.writeHead(204).end()
    else request.pipe(response.writeHead(200, { 'x-method': request.method!, 'set-cookie': ['a=1', 'b=2'] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  guard = new NetGuard()
  rule = { mode: 'hosts', hosts: [`127.0.0.1:${(server.address() as AddressInfo).port}`] }
})
afterAll(() => {
  guard.close()
  server.close()
})

const url = (path = '/') => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

it('is a fetch for libraries that take one', async () => {
  const answer = await guard.fetch(rule)(url(), { method: 'POST', body: 'hello', headers: { a: 'b' } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-method')).toBe('POST')
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await answer.text()).toBe('hello')
  expect((await guard.fetch(rule)(url('/empty'))).status).toBe(204)
})

it('refuses with the grant that would open the address', async () => {
  await expect(guard.fetch({ mode: 'public', hosts: [] })(url())).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
    hint: expect.stringMatching(/net\.http:127\.0\.0\.1:\d+/),
  })
})

function lookUp(lookup: LookupFunction, host: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}

it('judges a name by the addresses it has at the moment of connecting', async () => {
  await expect(lookUp(guardedLookup({ mode: 'public', hosts: [] }, 80), 'localhost')).rejects.toMatchObject({
    code: 'CAPABILITY_DENIED',
  })
  expect(await lookUp(guardedLookup({ mode: 'hosts', hosts: ['127.0.0.1'] }, 80), 'localhost')).toEqual([
    { address: '127.0.0.1', family: 4 },
  ])
})
