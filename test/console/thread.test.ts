// One story from cause to effect in the browser: every view, a link to every step, files to keep, and once more.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'
import type { Thread } from '../../console/src/api/types.ts'
import { otlpOf } from '../../console/src/pages/thread/thread-otlp.ts'
import { openCrib } from '../../src/crib/open-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { verifies } from '../helpers/verifies.ts'
import { describeConsole } from './describe-console.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

async function openExamples() {
  const root = mkdtempSync(join(tmpdir(), 'console-thread-'))
  cpSync(examples, root, { recursive: true, filter: (path) => !path.includes('.toolcrib') })
  const crib = await openCrib({
    root,
    trustFolder: true,
    env: { HOME: root, PATH: process.env['PATH'] },
    config: { audit: { params: 'full' }, schedules: { engine: 'off' } },
  })
  const served = await serveCrib(crib, { port: 0, edit: true })
  await crib.startEngines()
  return {
    root,
    crib,
    served,
    async close() {
      await served.close(0)
      await crib.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

it('is written as traces that others read: one trace, parents, times, faults', async () => {
  verifies('V20')
  const at = '2026-05-31T14:30:00.000Z'
  const thread: Thread = {
    id: 'r1',
    member: 'run:r1',
    isLive: false,
    isCut: false,
    nodes: [
      {
        id: 'run:r1',
        parent: null,
        kind: 'run',
        title: 'a/b',
        at,
        ms: 1.5,
        state: 'ok',
        runId: 'r1',
        logs: [],
      },
      {
        id: 'run:r1.1',
        parent: 'run:r1',
        kind: 'run',
        title: 'c',
        at,
        state: 'failed',
        errorCode: 'TIMEOUT',
        tokens: { input: 3, output: 4 },
        logs: [{ level: 'info', message: 'hi', atMs: 2 }],
      },
    ],
  }
  const { resourceSpans } = (await otlpOf(thread, '1.0.0')) as {
    resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[]
  }
  const [first, second] = resourceSpans[0]!.scopeSpans[0]!.spans
  expect(first!['traceId']).toMatch(/^[0-9a-f]{32}$/)
  expect(first!['spanId']).toMatch(/^[0-9a-f]{16}$/)
  expect(second).toMatchObject({
    traceId: first!['traceId'],
    parentSpanId: first!['spanId'],
    status: { code: 2, message: 'TIMEOUT' },
    events: [{ timeUnixNano: `${Date.parse(at) + 2}000000`, name: 'hi' }],
  })
  expect(first).toMatchObject({
    startTimeUnixNano: `${Date.parse(at)}000000`,
    endTimeUnixNano: `${Date.parse(at) + 1}500000`,
  })
  expect(JSON.stringify(second)).toContain('{"key":"gen_ai.usage.input_tokens","value":{"intValue":"3"}}')
})

describeConsole('a thread in the console', openExamples, (bench) => {
  it('shows the order chain from any member, as tree, graph and log, with a link to every step', async () => {
    verifies('V20')
    const { page, guest, opened } = bench
    await opened.crib.crumbs.create({
      title: 'A tick',
      schema_name: 'schedule.tick.v1',
      tags: ['schedule:order-clock', 'order'],
      context: {},
    })
    const { runId } = await opened.crib.call('order_place', {
      item: 'pencil',
    })
    const chain = [
      /order_place/,
      /order\.placed\.v1/,
      /order_price/,
      /order\.priced\.v1/,
      /order_ledger/,
      /order\.ledger\.v1/,
    ]
    await guest.go(`#/threads/${runId}`)
    const line = page.getByRole('list', { name: 'Timeline' })
    for (const step of chain)
      await line.getByRole('button', { name: step }).first().waitFor({ timeout: 60_000 })
    await line
      .getByRole('button', { name: /order_ledger/ })
      .first()
      .click()
    const details = page.getByRole('complementary', { name: 'Details' })
    await details.getByRole('heading', { name: 'order_ledger' }).waitFor()
    const link = page.url()
    expect(link).toContain('node=run')
    expect(await guest.accessFaults()).toEqual([])
    await page.getByRole('button', { name: 'Graph' }).click()
    await page
      .getByRole('link', { name: /order_price/ })
      .first()
      .click()
    await details.getByRole('heading', { name: 'order_price' }).waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await page.getByRole('button', { name: 'Log' }).click()
    await vi.waitUntil(async () => (await page.locator('main').innerText()).length > 20)
    // The same from another member, by the address of one step.
    await guest.go('#/home')
    await page.goto(link)
    await details.getByRole('heading', { name: 'order_ledger' }).waitFor()
    await details.getByRole('link', { name: 'Open the run' }).click()
    await page.getByRole('link', { name: 'Thread' }).click()
    for (const step of chain) await line.getByRole('button', { name: step }).first().waitFor()
  })

  it('is saved as JSON and as OTLP, and runs again from a run or an event', async () => {
    verifies('V20')
    const { page, guest, opened } = bench
    const { runId } = await opened.crib.call('order_place', {
      item: 'ruler',
    })
    await guest.go(`#/threads/${runId}`)
    await page
      .getByRole('list', { name: 'Timeline' })
      .getByRole('button', { name: /order_place/ })
      .waitFor()
    const textOf = async (button: string) => {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: button }).click()
      return readFileSync((await (await download).path())!, 'utf8')
    }
    expect(JSON.parse(await textOf('Save as JSON')).nodes[0].title).toBe('order_place')
    expect(JSON.parse(await textOf('Save as OTLP')).resourceSpans[0].scopeSpans[0].spans[0].name).toBe(
      'order_place',
    )
    await page.getByRole('button', { name: /order\.placed\.v1/ }).click()
    await page.getByRole('button', { name: 'Run again from here' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send an event' })
    expect(await dialog.getByLabel('Schema').inputValue()).toBe('order.placed.v1')
    expect(await dialog.getByLabel('Context (JSON)').inputValue()).toContain('ruler')
    expect(await guest.accessFaults()).toEqual([])
    await page.keyboard.press('Escape')
    await page
      .getByRole('list', { name: 'Timeline' })
      .getByRole('button', { name: /order_place/ })
      .click()
    await page.getByRole('button', { name: 'Run again from here' }).click()
    await page.getByRole('heading', { name: 'order_place' }).waitFor()
    await expect.poll(() => page.locator('.try-form').innerText()).toContain('ruler')
  })
})
