import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { demandMs } from '../../../test/helpers/budgets.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { rowOf } from '../../store/run-record.ts'
import { type ServedCrib, type ServedCribOptions, servedCrib } from './fixtures/served-crib.ts'

interface Told {
  readonly event: string
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the event carries
  readonly data: any
}

/** A crib with a tool that says one line, waits to be let go, says another and calls a second tool. */
async function withWaitingTool(options: ServedCribOptions = {}): Promise<ServedCrib & { letGo(): void }> {
  const served = await servedCrib(options)
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  served.crib.addTool({ id: 'demo/child', fn: () => 'small' })
  served.crib.addTool({
    id: 'demo/wait',
    params: { type: 'object', properties: { name: { type: 'string' } } },
    fn: async (params, attempt) => {
      attempt.log('info', 'before')
      attempt.progress({ done: 1, total: 2, message: 'half' })
      await gate
      attempt.log('info', 'after')
      return { hello: (params as { name: string }).name }
    },
  })
  return { ...served, letGo }
}

const begin = async ({ ask }: ServedCrib, headers: { [name: string]: string } = {}) =>
  ask(
    'POST',
    '/api/tools/demo/wait/call',
    { params: { name: 'Ada' } },
    { headers: { prefer: 'respond-async', ...headers } },
  )

/** Reads a stream until `isEnough` or its end. */
async function follow(
  served: ServedCrib,
  runId: string,
  isEnough: (told: readonly Told[]) => boolean,
  lastId = '',
) {
  const gone = new AbortController()
  const response = await fetch(`${served.url}/api/runs/${runId}/events`, {
    headers: { authorization: `Bearer ${served.token}`, 'last-event-id': lastId },
    signal: gone.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const told: Told[] = []
  let text = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      text = text.slice(end + 2)
      if (fields.has('event'))
        told.push({
          event: fields.get('event')!,
          id: fields.get('id')!,
          data: JSON.parse(fields.get('data')!),
        })
    }
    if (isEnough(told)) break
  }
  gone.abort()
  return told
}

const names = (told: readonly Told[]) => told.map(({ event }) => event)
const lines = (told: readonly Told[]) =>
  told.filter(({ event }) => event === 'log').map(({ data }) => data.message)

it('answers 202 with the id of the run, which goes on without its caller', async () => {
  verifies('V1')
  const served = await withWaitingTool()
  const { status, body, headers } = await begin(served)
  expect(status).toBe(202)
  expect(headers.get('location')).toBe(`/api/runs/${body.runId}`)
  const running = await served.ask('GET', `/api/runs/${body.runId}`)
  expect(running.body).toMatchObject({ state: 'running', tool: 'demo/wait' })
  served.letGo()
  const told = await follow(served, body.runId, () => false)
  expect(told.at(-1)).toMatchObject({ event: 'outcome', data: { ok: true, value: { hello: 'Ada' } } })
})

it('tells a run from its start to whoever comes later, and what is new to whoever comes again', async () => {
  verifies('V1')
  const served = await withWaitingTool()
  const { runId } = (await begin(served)).body
  const first = await follow(served, runId, (told) => names(told).includes('progress'))
  expect(first[0]).toMatchObject({ event: 'state', data: { state: 'running', params: { name: 'Ada' } } })
  expect(lines(first)).toEqual(['before'])
  const way = first.find(({ event, data }) => event === 'guard' && data.guards)!.data.guards
  expect(way.find(({ name }: { name: string }) => name === 'execute')).toMatchObject({ state: 'now' })
  expect(way.find(({ name }: { name: string }) => name === 'grants')).toMatchObject({ state: 'passed' })
  served.letGo()
  const second = await follow(served, runId, () => false, first.at(-1)!.id)
  expect(lines(second)).toEqual(['after'])
  const again = await follow(served, runId, () => false)
  expect(lines(again)).toEqual(['before', 'after'])
  expect(again.at(-1)!.event).toBe('outcome')
})

it('keeps a call alive when everybody who follows it leaves', async () => {
  verifies('V1')
  const served = await withWaitingTool()
  const { runId } = (await begin(served)).body
  await follow(served, runId, (told) => told.length > 0)
  await delay(50)
  expect((await served.ask('GET', `/api/runs/${runId}`)).body.state).toBe('running')
  await served.ask('POST', `/api/runs/${runId}/cancel`)
  const told = await follow(served, runId, () => false)
  expect(told.at(-1)!.data).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
})

it('begins one run for one Idempotency-Key', async () => {
  verifies('V1')
  const served = await withWaitingTool()
  const [one, two] = [
    await begin(served, { 'idempotency-key': 'k' }),
    await begin(served, { 'idempotency-key': 'k' }),
  ]
  expect(one.body.runId).toBe(two.body.runId)
  served.letGo()
})

it('hides the events of a run from a token that may not see it', async () => {
  verifies('V1')
  const served = await withWaitingTool({
    config: { serve: { tokens: [{ name: 'guest', token: 'env://GUEST', allowedTools: 'demo/child' }] } },
    env: { GUEST: 'g'.repeat(32) },
  })
  const { runId } = (await begin(served)).body
  const answer = await served.ask('GET', `/api/runs/${runId}/events`, undefined, { token: 'g'.repeat(32) })
  expect(answer.status).toBe(404)
  served.letGo()
})

it('shows of a running run its arguments, logs, progress and guards', async () => {
  verifies('V3')
  const served = await withWaitingTool()
  const { runId } = (await begin(served)).body
  const { body } = await served.ask('GET', `/api/runs/${runId}`)
  expect(body).toMatchObject({
    state: 'running',
    params: { name: 'Ada' },
    progress: { done: 1, total: 2, message: 'half' },
    logs: [{ message: 'before' }],
  })
  expect(body.ms).toBeGreaterThan(0)
  expect(body.guards.map(({ state }: { state: string }) => state)).toContain('now')
  served.letGo()
})

it('calls a run refused when a check said no, whichever it was, and not when the tool failed', async () => {
  verifies('V6')
  const served = await servedCrib()
  const params = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const fn = () => {
    throw new Error('no')
  }
  served.crib.addTool({ id: 'demo/strict', params, fn })
  await served.ask('POST', '/api/tools/demo/strict/call', { params: {} })
  await served.ask('POST', '/api/tools/demo/strict/call', { params: { n: 1 } })
  const { body } = await served.ask('GET', '/api/runs')
  expect(body.runs.map((run: object) => 'isRefused' in run)).toEqual([false, true])
})

it('shows in the list how far a running run is', async () => {
  verifies('V8')
  const served = await withWaitingTool()
  await begin(served)
  const { body } = await served.ask('GET', '/api/runs')
  expect(body.runs[0]).toMatchObject({ state: 'running', progress: { done: 1, total: 2, message: 'half' } })
  served.letGo()
})

it('says where a call that was refused had come to', async () => {
  verifies('V19')
  const served = await servedCrib()
  served.crib.addTool({ id: 'web/get', requires: ['net.http'], fn: () => 'page' })
  await served.ask('POST', '/api/tools/web/get/call', {})
  const { body } = await served.ask('GET', '/api/runs')
  expect(body.runs[0]).toMatchObject({ errorCode: 'CAPABILITY_DENIED', stoppedAt: 'grants', isRefused: true })
})

it('counts ten thousand runs right, whatever a page of them holds', async () => {
  verifies('V2')
  const served = await servedCrib()
  const store = await served.crib.crumbs.store()
  const now = Date.now()
  const rows = Array.from({ length: 10_000 }, (_, n) =>
    rowOf({
      kind: 'run',
      runId: `run-${n}`,
      tool: `tool-${n % 50}`,
      caller: 'ada',
      surface: 'http',
      startedAt: new Date(now - n * 1000).toISOString(),
      ms: n % 1000,
      ok: n % 10 !== 0,
      errorCode: n % 10 === 0 ? 'TOOL_FAILED' : undefined,
      params: { filler: 'x'.repeat(300) },
    }),
  )
  await store.runs.append(rows)
  const { body } = await served.ask('GET', '/api/stats?bucket=3600&by=tool')
  expect(body.total).toMatchObject({ count: 10_000, failed: 1_000, p50: 499, p95: 949 })
  expect(body.groups).toHaveLength(50)
  expect(body.groups[0]).toMatchObject({ count: 200 })
  expect(body.buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(10_000)
  const times: number[] = []
  for (let n = 0; n < 5; n++) {
    const begun = performance.now()
    await served.ask('GET', '/api/stats?bucket=600&by=tool')
    times.push(performance.now() - begun)
  }
  demandMs('figures of 10,000 runs, best of five', Math.min(...times), 150)
  const page = await served.ask('GET', '/api/runs?error=TOOL_FAILED&minMs=900&limit=7&tool=tool-0')
  expect(page.body.runs).toHaveLength(7)
  const next = await served.ask(
    'GET',
    `/api/runs?error=TOOL_FAILED&minMs=900&limit=7&tool=tool-0&cursor=${page.body.next}`,
  )
  expect(next.body.runs[0].runId).not.toBe(page.body.runs[0].runId)
  expect((await served.ask('GET', '/api/stats?bucket=1')).status).toBe(400)
})
