// What people come to the console for, in a real browser; each story counts its clicks.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { verifies } from '../helpers/verifies.ts'
import { type ConsoleCrib, hostile, openConsoleCrib } from './console-crib.ts'
import { launchChromium } from './find-chromium.ts'
import { type Visit, visit } from './visit.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: stories of the web console (${found})`)

describe.skipIf(typeof found === 'string')('stories of the web console', { timeout: 120_000 }, () => {
  const browser = found as Browser
  let consoleCrib: ConsoleCrib
  let guest: Visit
  let page: Page
  let clicks = 0
  const click = async (what: Locator) => {
    clicks++
    await what.click()
  }
  const rail = (name: string | RegExp) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

  beforeAll(async () => {
    consoleCrib = await openConsoleCrib()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await consoleCrib?.close()
  })
  beforeEach(async () => {
    guest = await visit(browser, consoleCrib.served)
    page = guest.page
    clicks = 0
  })
  afterEach(async () => {
    await guest.end()
  })

  it('connects a client in three clicks, with a token that works', async () => {
    verifies('V16')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await click(rail('Connect'))
    await click(page.getByRole('button', { name: 'Cursor' }))
    await click(page.getByRole('button', { name: 'Make a token and copy the block' }))
    await page.getByText('Waiting for the first call…').waitFor()
    expect(clicks).toBe(3)
    const block = JSON.parse(await page.getByRole('region', { name: 'Block' }).innerText())
    const { url, headers } = block.mcpServers.toolcrib
    expect(url).toBe(consoleCrib.served.mcp)
    const answer = await fetch(`${consoleCrib.served.url}/api/tools/list/people/call`, {
      method: 'POST',
      headers,
    })
    expect(answer.status).toBe(200)
    await page.getByText(/Seen from cursor/).waitFor()
  })

  it('turns a denied tool green in three clicks', async () => {
    verifies('V10', 'V17', 'V18', 'V19')
    await guest.go('#/tools/web/get')
    const strip = page.getByRole('list', { name: 'Guards' })
    await strip.getByRole('button', { name: /^Grants.*would stop the call/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await click(page.getByRole('button', { name: 'Grant…' }))
    await page
      .getByRole('region', { name: 'Difference of toolcrib.yaml' })
      .getByText('net.http')
      .first()
      .waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await click(page.getByRole('button', { name: 'Save' }))
    await strip.getByRole('button', { name: /^Grants.*passes/ }).waitFor()
    await click(page.getByRole('button', { name: 'Run', exact: true }))
    await page.getByText('succeeded').waitFor()
    expect(clicks).toBe(3)
  })

  it('approves a waiting call in two clicks, and says in title and rail that it waits', async () => {
    verifies('V15')
    const call = consoleCrib.crib.call('danger/erase', { what: 'dust' })
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) /)
    await click(rail(/^Inbox/))
    await page.getByText('"dust"').waitFor()
    await page
      .getByText(/expires in \d+:\d\d/)
      .first()
      .waitFor()
    await click(page.getByRole('button', { name: 'Approve' }))
    expect(await call).toMatchObject({ ok: true })
    expect(clicks).toBe(2)
  })

  it('asks for one’s own call where it was made, and takes `d` with a reason as no', async () => {
    verifies('V15')
    await guest.go('#/tools/danger/erase')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('This call needs a person’s yes.').waitFor()
    const { id } = consoleCrib.crib.approvals.pending[0]!
    await guest.go(`#/inbox/${id}`)
    await page.getByRole('article').waitFor()
    await page.keyboard.press('d')
    await page.getByLabel('Why not; told to the caller').fill('not today')
    await page.keyboard.press('Enter')
    await guest.go('#/tools/danger/erase')
    await page
      .getByText(/was not approved by operator: not today/)
      .first()
      .waitFor()
  })

  it('tells the second of two people that the first one decided', async () => {
    verifies('V15')
    guest.expectRefusals(404)
    const call = consoleCrib.crib.call('danger/erase', { what: 'sand' })
    await guest.go('#/inbox')
    await page.getByText('"sand"').waitFor()
    const { id } = consoleCrib.crib.approvals.pending[0]!
    await page.route('**/api/approvals/*', async (route) => {
      consoleCrib.crib.approvals.decide(id, { decision: 'approve', by: 'somebody' })
      await route.continue()
    })
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Somebody else decided, or the time was over.').waitFor()
    await call
  })

  it('leads from a failure to its source in three clicks', async () => {
    verifies('V8', 'V13')
    await consoleCrib.crib.call('doubler', { n: -1 })
    const failures = page.getByRole('region', { name: 'Most failures' })
    await click(failures.getByRole('link', { name: /doubler/ }))
    await click(
      page
        .getByRole('row', { name: /doubler/ })
        .first()
        .getByRole('link'),
    )
    await click(page.getByRole('link', { name: 'Show the code' }))
    await page.getByText('export async function execute').first().waitFor()
    expect(clicks).toBe(3)
  })

  it('leads from an event to its last effect in two clicks, and from Home to the slowest tool in one', async () => {
    verifies('V8', 'V14', 'V20')
    await consoleCrib.crib.crumbs.create({
      title: 'Eve comes in',
      schema_name: 'visit.v1',
      tags: [],
      context: { name: 'Eve' },
    })
    await vi.waitUntil(
      async () =>
        (await consoleCrib.crib.crumbs.list({ schema: 'greeting.v1' })).items.some(
          ({ title }) => title === 'Hello Eve',
        ),
      { timeout: 60_000, interval: 100 },
    )
    await guest.go('#/events')
    await click(page.getByRole('link', { name: 'Eve comes in' }))
    await click(page.getByRole('link', { name: 'See the thread' }))
    const line = page.getByRole('list', { name: 'Timeline' })
    for (const step of [/visit\.v1/, /greeter/, /greeting\.v1/])
      await line.getByRole('button', { name: step }).waitFor()
    expect(clicks).toBe(2)
    clicks = 0
    await guest.go('#/home')
    await click(page.getByRole('region', { name: 'Most time' }).getByRole('link').first())
    await page.getByRole('tab', { name: 'Runs', selected: true }).waitFor()
    expect(clicks).toBe(1)
  })

  it('keeps a call running when one leaves the tab, the page and reloads it, with the same log', async () => {
    verifies('V1', 'V3')
    await guest.go('#/tools/slow/steps')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('log').getByText('step 3', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Code' }).click()
    await rail('Runs').click()
    await page.reload()
    await guest.go('#/tools/slow/steps')
    await page.getByRole('log').getByText('step 1', { exact: true }).waitFor()
    await page.getByText(/\d+ of 1,000 – stepping/).waitFor()
    await page.getByRole('link', { name: 'See the run' }).click()
    await page.getByRole('heading', { name: 'Run of slow/steps' }).waitFor()
    await page.getByText('"steps"').waitFor()
    await page.getByRole('log').getByText('step 2', { exact: true }).waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('CANCELLED').first().waitFor()
  })

  it('has one session over all tabs, opens where a link says, and signs out of all', async () => {
    verifies('V5')
    const second = await page.context().newPage()
    await second.goto(`${consoleCrib.served.url}/#/runs`)
    await second.getByRole('heading', { name: 'Runs' }).waitFor()
    const linked = await page.context().newPage()
    await linked.goto(`${consoleCrib.served.url}/#token=${consoleCrib.served.token}&to=/tools/doubler`)
    await linked.getByRole('heading', { name: 'doubler' }).waitFor()
    expect(linked.url()).not.toContain('token')
    await second.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [page, second, linked]) await tab.getByLabel('Token').waitFor()
  })

  it('names the thing in its title, and finds place, filters and a half-filled form on the way back', async () => {
    verifies('V6')
    await guest.go('#/tools?q=o')
    await page.getByLabel('Search tools').waitFor()
    await page.locator('main').evaluate((main) => main.scrollTo(0, 300))
    await expect.poll(() => page.locator('main').evaluate((main) => main.scrollTop)).toBeGreaterThan(200)
    await guest.go('#/tools/doubler')
    await page.getByLabel('n required').fill('17')
    await expect.poll(() => page.title()).toContain('doubler · Tools · Toolcrib')
    await rail('Runs').click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.goBack()
    expect(await page.getByLabel('n required').inputValue()).toBe('17')
    await page.goBack()
    expect(await page.getByLabel('Search tools').inputValue()).toBe('o')
    await expect
      .poll(() => page.locator('main').evaluate((main) => main.scrollTop), { timeout: 20_000 })
      .toBeGreaterThan(200)
  })

  it('finds tools, runs and pages by Ctrl-K, and moves in lists by j and k', async () => {
    verifies('V7')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Tools, runs, events, settings' })
    await field.fill('doubl')
    await page
      .getByRole('option', { name: /doubler/ })
      .first()
      .waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'doubler' }).waitFor()
    await guest.go('#/tools')
    await page.locator('.tool-row').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const first = await page.locator('.tool-row [data-row]').first().getAttribute('href')
    expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(first)
  })

  it('keeps a form when the token ends, and says so', async () => {
    verifies('V6')
    guest.expectRefusals(401)
    const { token } = (await (
      await fetch(`${consoleCrib.served.url}/api/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${consoleCrib.served.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'guest' }),
      })
    ).json()) as { token: string }
    const context = await browser.newContext()
    const tab = await context.newPage()
    await tab.goto(`${consoleCrib.served.url}/#token=${token}&to=/tools/doubler`)
    await tab.getByLabel('n required').fill('12')
    // What a token may not do is absent.
    expect(await tab.getByRole('link', { name: 'Inbox' }).count()).toBe(0)
    await fetch(`${consoleCrib.served.url}/api/tokens/guest`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${consoleCrib.served.token}` },
    })
    // The strip of guards may have asked meanwhile and been refused already: the dialog then lies over the button.
    await tab
      .locator('form.try-form')
      .evaluate((form) => (form as unknown as { requestSubmit(): void }).requestSubmit())
    await tab.getByRole('dialog', { name: 'The session has ended' }).waitFor()
    expect(await tab.getByLabel('n required').inputValue()).toBe('12')
    await context.close()
  })

  it('shows markup, links and direction marks of tools as text', async () => {
    verifies('V12')
    await guest.go('#/tools/hostile/say')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
    await page.getByRole('log').getByText('<script>alert(1)</script>').waitFor()
    expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0)
    expect(await page.title()).toContain('hostile/say')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('hostile')
    await page
      .getByRole('option', { name: /hostile\/say/ })
      .first()
      .waitFor()
    expect(await page.locator('dialog img').count()).toBe(0)
    expect(hostile).toContain('\u202e')
  })

  it('says since when the server is away, keeps the page, and goes on when it is back', async () => {
    verifies('V6')
    const { crib } = consoleCrib
    let away = await serveCrib(crib, { port: 0, watch: false, bootstrap: false })
    const { port, token, url } = away
    const context = await browser.newContext({ locale: 'en-US' })
    const tab = await context.newPage()
    await tab.goto(`${url}/#token=${token}&to=/tools`)
    await tab.locator('.tool-row').first().waitFor()
    await tab.getByText('Live').waitFor()
    await away.close(0)
    await tab.getByText(/Server not reachable since .*, retrying/).waitFor()
    expect(await tab.locator('.tool-row').count()).toBeGreaterThan(0)
    away = await serveCrib(crib, { port, watch: false, bootstrap: false })
    await expect.poll(() => tab.getByText(/Server not reachable/).count(), { timeout: 30_000 }).toBe(0)
    await context.close()
    await away.close(0)
  })

  it('speaks German to who wants it', async () => {
    verifies('V23', 'V24')
    const german = await browser.newContext({ locale: 'de-DE' })
    const tab = await german.newPage()
    await tab.goto(`${consoleCrib.served.url}/#token=${consoleCrib.served.token}`)
    await tab.getByRole('heading', { name: 'Start', level: 1 }).waitFor()
    await tab.getByRole('link', { name: 'Werkzeuge' }).click()
    await tab.getByRole('heading', { name: 'Werkzeuge' }).waitFor()
    expect(await tab.evaluate('document.documentElement.lang')).toBe('de')
    await german.close()
  })
})
