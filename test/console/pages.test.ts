// Every page of the console, light and dark, narrow and wide: accessible by axe, nothing wider than the screen,
// and a screenshot of each in test/artifacts.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifies } from '../helpers/verifies.ts'
import { type ConsoleCrib, openConsoleCrib } from './console-crib.ts'
import { launchChromium } from './find-chromium.ts'
import { visit } from './visit.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: pages of the web console (${found})`)

/** By how many pixels the page is wider than the screen; runs in the page. */
const excessWidth = `{
  const main = document.querySelector('main')
  Math.max(document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth)
}`

const sizes = [
  { name: 'narrow', width: 390, height: 844 },
  { name: 'usual', width: 1440, height: 900 },
  { name: 'wide', width: 2560, height: 1440 },
]

describe.skipIf(typeof found === 'string')('pages of the web console', { timeout: 240_000 }, () => {
  const browser = found as Browser
  let consoleCrib: ConsoleCrib
  let pages: Record<string, string>

  beforeAll(async () => {
    consoleCrib = await openConsoleCrib()
    const { runId } = await consoleCrib.crib.call('doubler', { n: 3 })
    await consoleCrib.crib.call('doubler', { n: -3 })
    const { id } = await consoleCrib.crib.crumbs.create({
      title: 'Ada comes in',
      schema_name: 'visit.v1',
      tags: ['door'],
      context: { name: 'Ada' },
    })
    await vi.waitUntil(
      async () => (await consoleCrib.crib.crumbs.list({ schema: 'greeting.v1' })).items.length === 1,
      { timeout: 60_000, interval: 100 },
    )
    await consoleCrib.crib.crumbs.update(id, { context: { name: 'Ada', hat: true } })
    pages = {
      home: '#/home',
      inbox: '#/inbox',
      connect: '#/connect?client=cursor',
      thread: `#/threads/${runId}`,
      wiring: '#/events?tab=wiring',
      review: '#/review/doubler',
      lost: '#/nowhere',
      catalog: '#/tools',
      'catalog-nothing': '#/tools?q=nothinglikethis',
      tool: '#/tools/form/everything',
      'tool-schemas': '#/tools/form/everything?tab=docs',
      'tool-way': '#/tools/shop/hello?tab=how',
      'tool-source': '#/tools/doubler?tab=code',
      'tool-runs': '#/tools/doubler?tab=runs',
      'tool-broken': '#/tools/broken',
      runs: '#/runs',
      run: `#/runs/${runId}`,
      events: '#/events',
      event: `#/events/${id}`,
      'event-history': `#/events/${id}?tab=history`,
      'event-causes': `#/events/${id}?tab=causes`,
      'event-edit': `#/events/${id}?tab=edit`,
      automation: '#/automation',
      nodes: '#/nodes',
      settings: '#/settings?tab=tools&tool=greeter',
      secrets: '#/settings?tab=secrets',
      tokens: '#/settings?tab=tokens',
      keys: '#/settings?tab=keys',
      grants: '#/settings?tab=grants',
      server: '#/settings?tab=server',
    }
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await consoleCrib?.close()
  })

  it.each(sizes.flatMap((size) => (['light', 'dark'] as const).map((theme) => ({ ...size, theme }))))(
    'are sound on a $name screen in $theme',
    async ({ name, width, height, theme }) => {
      verifies('V22')
      const guest = await visit(browser, consoleCrib.served, {
        viewport: { width, height },
        colorScheme: theme,
      })
      const faults: string[] = []
      for (const [page, link] of Object.entries(pages)) {
        await guest.go(link)
        await guest.page.locator('main h1').waitFor()
        await expect.poll(() => guest.page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
        await guest.screenshot(`${page}-${name}-${theme}`)
        const excess = await guest.page.evaluate<number>(excessWidth)
        if (excess > 0) faults.push(`${link} is ${excess} pixels wider than the screen`)
        // What axe looks at does not change between a usual and a wide screen.
        if (name !== 'wide') faults.push(...(await guest.accessFaults()))
      }
      await guest.end()
      expect(faults).toEqual([])
    },
  )
})
