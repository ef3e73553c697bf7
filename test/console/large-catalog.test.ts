// A catalog of 5,000 tools in the browser: how long its first rows, a key and the palette take, and what is drawn.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Crib } from '../../src/crib/crib.ts'
import { openCrib } from '../../src/crib/open-crib.ts'
import { rowOf } from '../../src/store/run-record.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { demand, demandMs, quantile } from '../helpers/budgets.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { toolCode } from './console-crib.ts'
import { launchChromium } from './find-chromium.ts'
import { visit } from './visit.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: the large catalog (${found})`)
const many = 5_000

/** Runs in the page: types a word letter by letter and gives the time until each list was painted. */
const typeWord = `(async () => {
  const field = document.querySelector('[data-search]')
  const times = []
  for (const letters of ['n', 'nu', 'num', 'numb', 'numbe', 'number', 'number 4', 'number 49', 'number 499']) {
    const begin = performance.now()
    field.value = letters
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    times.push(performance.now() - begin)
  }
  return times
})()`

/** Runs in the page: when the first row was there, from the beginning of the navigation. */
const firstRow = `new Promise((resolve) => {
  const look = () => document.querySelector('.tool-row') ? resolve(performance.now()) : requestAnimationFrame(look)
  look()
})`

/** 10,000 runs of one day. */
async function appendRuns(crib: Crib): Promise<void> {
  const now = Date.now()
  const rows = Array.from({ length: 10_000 }, (_, n) =>
    rowOf({
      kind: 'run',
      runId: `run-${n}`,
      tool: `tool_${n % 50}`,
      caller: 'ada',
      surface: 'http',
      startedAt: new Date(now - n * 5_000).toISOString(),
      ms: n % 1000,
      ok: n % 10 !== 0,
      errorCode: n % 10 === 0 ? 'TOOL_FAILED' : undefined,
    }),
  )
  const store = await crib.crumbs.store()
  await store.runs.append(rows.reverse())
}

describe.skipIf(typeof found === 'string')('a large catalog', { timeout: 240_000 }, () => {
  it('shows only the rows in sight, and finds one of 5,000 by typing', async () => {
    const browser = found as Browser
    const root = mkdtempSync(join(tmpdir(), 'console-large-'))
    writeFiles(
      root,
      Object.fromEntries(
        Array.from({ length: many }, (_, index) => [
          `crumbs/tool-${index}.json`,
          toolCode(
            `tool_${index}`,
            { description: `Tool number ${index} of many.` },
            'export const execute = () => 1\n',
          ),
        ]),
      ),
    )
    const crib = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] } })
    const served = await serveCrib(crib, { port: 0, watch: false })
    try {
      const guest = await visit(browser, served)
      await guest.go('#/tools')
      await guest.page.locator('.tool-row').first().waitFor()
      await guest.page.reload()
      const paintMs = await guest.page.evaluate<number>(firstRow)
      const keyMs = await guest.page.evaluate<number[]>(typeWord)
      await guest.page.getByText('tool_4999', { exact: true }).waitFor()
      expect(await guest.page.locator('.tool-row').count()).toBeLessThan(100)
      demandMs(`first rows of ${many} tools`, paintMs, 1_000)
      demandMs('from key to paint in the list, p95', quantile(keyMs, 0.95), 50)
      await guest.page.getByLabel('Search tools').fill('')
      demand('elements of a list of tools', await guest.page.locator('*').count(), 1_500)
      await guest.page.keyboard.press('Escape')
      await guest.page.keyboard.press('Control+k')
      await guest.page.getByRole('combobox').waitFor()
      await guest.page.getByRole('option').first().waitFor()
      const paletteMs = await guest.page.evaluate<number[]>(
        typeWord.replace('[data-search]', '[role=combobox]'),
      )
      await guest.page
        .getByRole('option', { name: /^tool_4999/ })
        .first()
        .waitFor()
      demandMs('from key to paint in the palette, p95', quantile(paletteMs, 0.95), 50)
      await guest.page.keyboard.press('Escape')
      await appendRuns(crib)
      await guest.go('#/runs')
      await guest.page.getByText('10,000 runs').waitFor()
      const { page } = guest
      /** Counted when what is on its way is drawn. */
      const count = async (what: string) => {
        await expect.poll(() => page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
        demand(`elements of ${what}`, await page.locator('*').count(), 1_500)
      }
      await count('a list of runs')
      const rowCount = async () => Number(await page.locator('.run-table').getAttribute('aria-rowcount'))
      while ((await rowCount()) < 500) {
        const before = await rowCount()
        await page.evaluate("document.querySelector('main').scrollTo(0, 1e6)")
        await expect.poll(rowCount, { timeout: 20_000 }).toBeGreaterThan(before)
      }
      await count('a list of 500 runs, at its end')
      // What runs now comes on top, and nothing of what was read is lost.
      const { runId } = await crib.call('tool_1', {})
      await expect.poll(rowCount, { timeout: 20_000 }).toBeGreaterThanOrEqual(502)
      await page.evaluate("document.querySelector('main').scrollTo(0, 0)")
      await page.locator(`.run-table a[href$="${runId}"]`).waitFor()
      await count('a list of 500 runs, at its beginning')
      for (const link of ['#/home', '#/events', '#/inbox', '#/tools/tool_1?tab=runs']) {
        await guest.go(link)
        await page.locator('main h1:not(.unseen)').waitFor()
        await count(link)
      }
      await guest.end()
    } finally {
      await browser.close()
      await served.close(0)
      await crib.close()
      rmSync(root, { recursive: true, force: true })
    }
  })
})
