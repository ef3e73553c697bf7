import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { servedCrib } from './fixtures/served-crib.ts'
import { readText } from './read-body.ts'

const posted = (bytes: readonly number[]) =>
  new Request('http://127.0.0.1/', { method: 'POST', body: new Uint8Array(bytes) })
const utf8 = (text: string) => [...Buffer.from(text)]

describe('readText', () => {
  it.each(['', 'plain', 'grün', '日本', '🙂', '\ufeff{}'])(
    'gives back the text as it was sent: %j',
    async (text) => {
      expect(await readText(posted(utf8(text)))).toBe(text)
    },
  )

  it.each([
    ['a byte that never stands in UTF-8', [...utf8('ab'), 0xff, ...utf8('c')], 2],
    ['the first byte', [0x80], 0],
    ['a character that is cut off', [...utf8('grün'), 0xe2, 0x82], 5],
    ['a character that breaks off', [...utf8('é'), 0xe2, 0x28, 0xa1], 2],
    ['one half of a pair', [...utf8('🙂x'), 0xed, 0xa0, 0x80], 5],
    ['a longer form than need be', [0x7b, 0xc0, 0xaf], 1],
  ])('names the byte at which what is wrong begins: %s', async (_, bytes, at) => {
    await expect(readText(posted(bytes))).rejects.toMatchObject({
      status: 400,
      code: 'BODY_INVALID',
      message: expect.stringContaining(`byte ${at} `),
    })
  })
})

it('the API answers a body that is no UTF-8 with 400, and calls nothing', async () => {
  const { crib, url, token } = await servedCrib()
  let calls = 0
  crib.addTool({ id: 'echo', params: { type: 'object' }, fn: () => ++calls })
  const response = await fetch(`${url}/api/tools/echo/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: new Uint8Array([...utf8('{"params":{"a":"'), 0xe9, ...utf8('"}}')]),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    code: 'BODY_INVALID',
    detail: expect.stringContaining('byte 16 (0xe9)'),
  })
  expect(calls).toBe(0)
})

it('a client that sends all of a body before it reads has the 413, not a broken connection', async () => {
  verifies('C113')
  const { url, token } = await servedCrib()
  const { hostname, port } = new URL(url)
  const bytes = 12 * 1024 * 1024
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    [
      'POST /breadcrumbs HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${bytes}`,
      'Connection: close',
      '\r\n',
    ].join('\r\n'),
  )
  await promisify<Buffer>(socket.write.bind(socket))(Buffer.alloc(bytes, 'y'))
  expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /)
})
