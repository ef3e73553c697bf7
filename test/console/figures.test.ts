// What the console may weigh and how long it may take, measured in a real browser and printed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { Crib } from '../../src/crib/open-crib.ts'
import { verifies } from '../helpers/verifies.ts'
import { demand, demandMs } from './budgets.ts'
import { openConsoleCrib } from './console-crib.ts'
import { describeConsole } from './describe-console.ts'
import { visit } from './visit.ts'

const folder = fileURLToPath(new URL('../../dist/console', import.meta.url))
/** The question of the call with this argument, when it waits. */
async function pendingId(crib: Crib, what: string): Promise<string> {
  const found = () => crib.approvals.pending.find(({ params }) => JSON.stringify(params).includes(what))
  await expect.poll(() => found() !== undefined, { timeout: 20_000 }).toBe(true)
  return found()!.id
}

const kbOf = (file: string) => gzipSync(readFileSync(join(folder, file))).length / 1024
const isCode = (file: string) => /\.(js|css)$/.test(file)

describeConsole('the figures of the console', openConsoleCrib, (bench) => {
  it('keeps the first page, every page and the whole within their sizes', async () => {
    verifies('V22')
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file!)
    const sum = (files: readonly string[]) => files.reduce((kb, file) => kb + kbOf(file), 0)
    demand('KB of the first page, gzip', sum(first), 45)
    const all = readdirSync(join(folder, 'assets')).filter(isCode)
    demand('KB of all code, gzip', sum(all.map((file) => `assets/${file}`)), 330)
    const { runId } = await bench.opened.crib.call('list/people', {})
    for (const link of [
      '#/home',
      '#/tools',
      '#/tools/form/everything',
      '#/tools/doubler?tab=code',
      '#/tools/doubler?tab=how',
      '#/runs',
      `#/runs/${runId}`,
      `#/threads/${runId}?view=graph`,
      '#/events',
      '#/events?tab=wiring',
      '#/inbox',
      '#/connect?client=cursor',
      '#/settings?tab=grants',
      '#/review/doubler',
    ]) {
      const context = await bench.browser.newContext()
      const page = await context.newPage()
      const loaded = new Set<string>()
      page.on('request', (request) => {
        const path = new URL(request.url()).pathname.slice(1)
        if (isCode(path)) loaded.add(path)
      })
      const { url, token } = bench.opened.served
      await page.goto(`${url}/#token=${token}&to=${encodeURIComponent(link.slice(1))}`)
      await page.locator('main h1:not(.unseen)').waitFor()
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
      await page.waitForTimeout(1_000)
      demand(`KB of ${link.replace(runId, '…')}, gzip`, sum([...loaded]), 120)
      await context.close()
    }
  })

  it('draws what happens on the server within half a second', async () => {
    verifies('V1', 'V14')
    const { page, guest, opened } = bench
    await guest.go('#/events')
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await page.waitForTimeout(500)
    const times: number[] = []
    for (let n = 0; n < 5; n++) {
      const seen = page.evaluate<number>(`new Promise((resolve) => {
        const look = () => document.body.textContent.includes('Came ${n}!') ? resolve(Date.now()) : requestAnimationFrame(look)
        look()
      })`)
      const beganMs = Date.now()
      await opened.crib.crumbs.create({ title: `Came ${n}!`, schema_name: 'came.v1', tags: [], context: {} })
      times.push((await seen) - beganMs)
    }
    demandMs('from an event to the screen, best of five', Math.min(...times), 500)
    await guest.go('#/runs')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    const appears = page.evaluate<number>(`new Promise((resolve) => {
      const look = () => [...document.querySelectorAll('.run-table tr')].some((row) => row.textContent.includes('picture/dot'))
        ? resolve(Date.now()) : requestAnimationFrame(look)
      look()
    })`)
    await page.waitForTimeout(1_500)
    const beganMs = Date.now()
    await opened.crib.call('picture/dot', {})
    demandMs('from the end of a run to its row', (await appears) - beganMs, 500)
  })

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)(
    'has no fault of access while a call runs, waits and asks, at %d px in %s',
    async (width, colorScheme) => {
      verifies('V6', 'V15', 'V22')
      const { crib } = bench.opened
      const faults: string[] = []
      const what = `dust ${width} ${colorScheme}`
      const guest = await visit(bench.browser, bench.opened.served, {
        viewport: { width, height: 900 },
        colorScheme,
      })
      const { page } = guest
      const look = async () => faults.push(...(await guest.accessFaults()))
      await guest.go('#/tools/slow/steps')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText(/\d+ of 1000 – stepping/).waitFor()
      await look()
      await page.getByRole('button', { name: 'Copy as' }).click()
      await page.getByRole('dialog').waitFor()
      await look()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: 'See the run' }).click()
      await page.getByRole('heading', { name: 'Run of slow/steps' }).waitFor()
      await look()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('CANCELLED').first().waitFor()
      const asked = crib.call('danger/erase', { what })
      await guest.go(`#/inbox/${await pendingId(crib, what)}`)
      await page.getByText(what).waitFor()
      await look()
      await page.keyboard.press('d')
      await page.getByLabel('Why not; told to the caller').waitFor()
      await look()
      await page.keyboard.press('Enter')
      await asked
      for (const [link, button] of [
        ['#/events', 'Send an event'],
        ['#/tools', 'Add'],
        ['#/connect', 'Add a server'],
        ['#/tools/web/get', 'Grant…'],
      ] as const) {
        await guest.go(link)
        await page.getByRole('button', { name: button, exact: true }).click()
        await page.getByRole('dialog').waitFor()
        await look()
        await page.keyboard.press('Escape')
      }
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').waitFor()
      await look()
      await guest.end()
      expect(faults).toEqual([])
    },
  )
})
