// Tests of the console in a real browser: one crib for all of them, a fresh visit for each. Without a browser on the
// machine they are skipped, and say so.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { Crib } from '../../src/crib/open-crib.ts'
import type { Served } from '../../src/surfaces/http/serve-crib.ts'
import { launchChromium } from './find-chromium.ts'
import { type Visit, visit } from './visit.ts'

export interface Opened {
  readonly root: string
  readonly crib: Crib
  readonly served: Served
  close(): Promise<void>
}

/** What a test works with; filled before each. */
export interface Bench<T extends Opened> {
  readonly browser: Browser
  readonly opened: T
  readonly guest: Visit
  readonly page: Page
}

const found = await launchChromium()

export function describeConsole<T extends Opened>(
  title: string,
  open: () => Promise<T>,
  tests: (bench: Bench<T>) => void,
): void {
  if (typeof found === 'string') console.log(`skipped: ${title} (${found})`)
  describe.skipIf(typeof found === 'string')(title, { timeout: 120_000 }, () => {
    const browser = found as Browser
    const bench = { browser } as { -readonly [key in keyof Bench<T>]: Bench<T>[key] }
    beforeAll(async () => {
      bench.opened = await open()
    }, 120_000)
    afterAll(async () => {
      await browser.close()
      await bench.opened?.close()
    })
    beforeEach(async () => {
      bench.guest = await visit(browser, bench.opened.served)
      bench.page = bench.guest.page
    })
    afterEach(() => bench.guest.end())
    tests(bench)
  })
}
