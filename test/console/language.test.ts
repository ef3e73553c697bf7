// The console in a browser whose language is none.
import type { Browser } from 'playwright-core'
import { expect, it } from 'vitest'
import { openConsoleCrib } from './console-crib.ts'
import { launchChromium } from './find-chromium.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: the language of the web console (${found})`)

it.skipIf(typeof found === 'string')(
  'the pages with charts open in a browser that calls its language en-US@posix',
  async () => {
    const browser = found as Browser
    const consoleCrib = await openConsoleCrib()
    try {
      const { url, token } = consoleCrib.served
      const context = await browser.newContext()
      await context.addInitScript(
        `Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })`,
      )
      const page = await context.newPage()
      await page.goto(`${url}/#token=${token}`)
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      await page.goto(`${url}/#/runs`)
      await page.locator('main h1').waitFor()
      await expect.poll(() => page.locator('main h1').innerText(), { timeout: 60_000 }).toBe('Runs')
    } finally {
      await browser.close()
      await consoleCrib.close()
    }
  },
  240_000,
)
