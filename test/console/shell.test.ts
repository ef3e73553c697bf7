// What surrounds every page: the palette, the rail, the tabs, the icon; and that nothing is cut on a phone.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { verifies } from '../helpers/verifies.ts'
import { openConsoleCrib } from './console-crib.ts'
import { describeConsole } from './describe-console.ts'
import { visit } from './visit.ts'

const icon = (page: Page) => page.locator('link[rel="icon"]').getAttribute('href')

describeConsole('the shell of the console', openConsoleCrib, (bench) => {
  it('runs a tool from the palette by Ctrl-Enter, and none because an address says so', async () => {
    verifies('V7')
    const { page, guest } = bench
    const palette = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(text)
      await page
        .getByRole('option', { name: new RegExp(text) })
        .first()
        .waitFor()
      await page.keyboard.press('Control+Enter')
    }
    await palette('list/people')
    await page.getByRole('cell', { name: 'Grace' }).waitFor()
    // What is required is asked for, and nothing runs without it.
    await palette('doubler')
    await page.getByText('n is required', { exact: true }).waitFor()
    await guest.go('#/home')
    await guest.go('#/tools/picture/dot?run=1')
    await page
      .getByRole('list', { name: 'Guards' })
      .getByRole('button', { name: /^Grants.*passes/ })
      .waitFor()
    expect(await page.getByRole('region', { name: 'Outcome' }).count()).toBe(0)
  })

  it('counts what waits in rail, title and icon, on whichever page one begins', async () => {
    verifies('V7', 'V15')
    const { opened, browser } = bench
    const tab = await browser.newPage()
    await tab.goto(`${opened.served.url}/#token=${opened.served.token}&to=/runs`)
    // A broken tool and a missing secret wait in this crib from the beginning.
    await expect.poll(() => tab.title()).toMatch(/^\([2-9]\) Runs/)
    await expect.poll(() => icon(tab)).toContain('data:image/svg+xml')
    await tab.close()
  })

  it('shows a tab for nodes only where there are several, and the guards also where it says how a tool runs', async () => {
    verifies('V10', 'V17')
    const { page, guest } = bench
    await guest.go('#/settings?tab=tokens')
    await page.getByRole('cell', { name: 'operator' }).waitFor()
    expect(await page.getByRole('tab', { name: 'Nodes' }).count()).toBe(0)
    await guest.go('#/tools/web/get?tab=how')
    const guards = page.getByRole('list', { name: 'Guards' })
    await guards.getByRole('button', { name: /^Grants.*would stop/ }).waitFor()
    // Green is for what is proven: the tool has not run yet.
    await guards.getByRole('button', { name: /^Tool.*not reached/ }).waitFor()
  })

  it('stands in three columns on a wide screen and in two on a usual one, each beginning at the top', async () => {
    verifies('V8', 'V22')
    for (const [width, columns] of [
      [2560, 3],
      [1440, 2],
    ] as const) {
      const guest = await visit(bench.browser, bench.opened.served, { viewport: { width, height: 1440 } })
      const begins = await guest.page.evaluate<{ x: number; y: number }[]>(
        `[...document.querySelectorAll('.home-columns > div')].map((each) => {
          const { x, y } = each.getBoundingClientRect()
          return { x, y }
        })`,
      )
      expect(begins.length).toBe(3)
      expect(new Set(begins.map(({ x }) => x)).size).toBe(columns)
      expect(new Set(begins.slice(0, columns).map(({ y }) => y)).size).toBe(1)
      await guest.end()
    }
  })

  it('cuts nothing on a phone', async () => {
    verifies('V22')
    const phone = await visit(bench.browser, bench.opened.served, { viewport: { width: 390, height: 844 } })
    /** Runs in the page: what is only seen after scrolling sideways. */
    const cut = `[...document.querySelectorAll('.tabs, .permit-strip, .inbox, .card, .facet')]
      .filter((each) => each.scrollWidth > each.clientWidth + 1)
      .map((each) => each.className + ': ' + each.textContent.slice(0, 60))`
    for (const link of [
      '#/inbox',
      '#/settings?tab=tokens',
      '#/settings?tab=grants',
      '#/settings?tab=server',
      '#/tools/doubler',
      '#/events?tab=automation',
      '#/tools',
    ]) {
      await phone.go(link)
      await phone.page.locator('main h1:not(.unseen)').waitFor()
      await expect.poll(() => phone.page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
      expect(await phone.page.evaluate(cut), link).toEqual([])
    }
    // The palette is open to those without a keyboard too.
    await phone.page.getByRole('button', { name: 'Search' }).click()
    await phone.page.getByRole('combobox', { name: 'Tools, runs, events, settings' }).waitFor()
    await phone.end()
  })

  it('says so when the server was renewed and code of the page is gone, with a button that reloads', async () => {
    verifies('V6')
    const { page, guest } = bench
    guest.expectRefusals(404)
    await page.route(/assets\/runs-page.*\.js/, (route) => route.fulfill({ status: 404, body: '' }))
    await guest.go('#/runs')
    await page.getByRole('alert').getByText('could not be loaded').waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await page.unroute(/assets\/runs-page.*\.js/)
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  })

  it('says of nothing that there is none before the answer is there', async () => {
    verifies('V2', 'V8')
    const { page, guest } = bench
    let release = () => {}
    const answered = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/api\/(stats|runs|changes|console\/inbox)/, async (route) => {
      await answered
      await route.continue()
    })
    await guest.go('#/runs')
    await page.reload()
    await guest.go('#/home')
    await page.getByRole('heading', { name: 'Most failures' }).waitFor()
    await page.getByText('Live').waitFor()
    expect(await page.locator('.home').innerText()).not.toMatch(/Nothing (failed|ran|waits)|No file/)
    release()
    await expect.poll(() => page.locator('.home .skeleton').count(), { timeout: 20_000 }).toBe(0)
    expect(await page.locator('.home').innerText()).toMatch(/Nothing failed/)
  })
})
