import { expect, it } from 'vitest'
import { servedCrib } from './fixtures/served-crib.ts'

const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const

async function onionOf(requires: readonly string[], config: { readonly [key: string]: unknown } = {}) {
  const { crib, ask } = await servedCrib({ config })
  let runs = 0
  crib.addTool({ id: 't', requires, params: schema, fn: () => ++runs })
  const { status, body } = await ask('GET', '/api/console/onion/t')
  expect([status, runs]).toEqual([200, 0])
  return { body, crib }
}

it('shows the layers a call passes, and no refusal where none is certain before the arguments are known', async () => {
  const { body } = await onionOf([])
  const names = body.layers.map(({ name }: { name: string }) => name)
  expect(names.slice(0, 2)).toEqual(['$start', 'trace'])
  expect(names).toEqual(expect.arrayContaining(['set-aside', 'params']))
  expect(body.refusals).toEqual([])
})

it('shows for each check that refuses what the call would be told', async () => {
  const { body, crib } = await onionOf(['net.http'])
  expect(body.refusals).toEqual([
    {
      check: 'grants',
      code: 'CAPABILITY_DENIED',
      message: 't needs net.http, which is not granted to it.',
      hint: expect.stringContaining('grants:'),
    },
  ])
  expect(body.layers).toContainEqual({ name: 'grants', kind: 'guard' })
  const outcome = await crib.call('t', { n: 1 })
  expect(outcome).toMatchObject({ error: { message: body.refusals[0].message } })
})
