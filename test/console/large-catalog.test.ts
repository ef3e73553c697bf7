// A catalog of 5,000 tools in the browser. What is measured is printed, not asserted: the machine may be loaded.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { launchChromium } from './find-chromium.ts'
import { visit } from './visit.ts'
import { toolCode } from './workshop.ts'

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
      console.log(
        `console, ${many} tools: first rows after ${Math.round(paintMs)} ms; a keystroke takes ${Math.round(median(keyMs))} ms (median), ${Math.round(Math.max(...keyMs))} ms (longest)`,
      )
      await guest.end()
    } finally {
      await browser.close()
      await served.close(0)
      await crib.close()
      rmSync(root, { recursive: true, force: true })
    }
  })
})

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
