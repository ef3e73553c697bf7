import { Server } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { answersWhileRunning } from './client-answers.ts'

it('gives a person as long as the call has, not the minute of the protocol', async () => {
  verifies('U2')
  const server = new Server({ name: 'x', version: '1' })
  Object.assign(server, { getClientCapabilities: () => ({ elicitation: {} }) })
  const over = new AbortController()
  let given: { readonly timeout?: number; readonly signal?: AbortSignal } | undefined
  const send = (async (_request: object, options: object) => {
    given = options
    return { action: 'accept' }
  }) as never
  const { onElicit } = answersWhileRunning(server, send, over.signal)
  await onElicit!({ message: 'Who?' } as never)
  expect(given?.timeout).toBeGreaterThan(24 * 60 * 60 * 1000)
  over.abort()
  expect(given?.signal?.aborted).toBe(true)
})
