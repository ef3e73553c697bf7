// The listener stands on a port that every program of the machine can ask.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { listenForCallback } from './listen-for-callback.ts'

async function asked(target: string): Promise<string> {
  const listener = await listenForCallback(async () => ({ name: 'ada' }), { port: 0, mustHavePort: true })
  onTestFinished(() => listener.close())
  const socket = connect(Number(new URL(listener.redirectUri).port), '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

it.each(['//', 'http://[', '/', '/callback/x'])('answers 404 to %s and goes on', async (target) => {
  expect(await asked(target)).toMatch(/^HTTP\/1.1 404 /)
})

it('hands over what comes to its own path', async () => {
  expect(await asked('/callback?code=1')).toMatch(/^HTTP\/1.1 200 /)
})
