// Logging in to a server from the console, in a real browser that goes through the pages of a real identity provider.
import type { Browser, Page } from 'playwright-core'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Served, serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { loginBench } from '../helpers/login-bench.ts'
import { verifies } from '../helpers/verifies.ts'
import { launchChromium } from './find-chromium.ts'
import { visit } from './visit.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: log-ins in the web console (${found})`)

describe.skipIf(typeof found === 'string')('the web console', { timeout: 120_000 }, () => {
  const browser = found as Browser
  afterAll(() => browser.close())

  async function opened() {
    const bench = await loginBench()
    const served: Served = await serveCrib(bench.crib, { port: 0, token: 'o'.repeat(32) })
    onTestFinished(() => served.close(0))
    return { ...bench, guest: await visit(browser, served) }
  }

  /** Follows the link to the provider, signs in and agrees there. */
  async function logInBy(page: Page, idp: { readonly issuer: string }, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Log in…' }).click()
    const popup = page.waitForEvent('popup')
    await page.getByRole('link', { name: `Go on at ${new URL(idp.issuer).host}` }).click()
    const there = await popup
    await there.getByPlaceholder('Enter any login').fill(name)
    await there.getByPlaceholder('and password').fill('x')
    await there.getByRole('button', { name: 'Sign-in' }).click()
    await there.getByRole('button', { name: 'Continue' }).click()
    await there.getByRole('heading', { name: 'Logged in to box.' }).waitFor()
    await there.close()
  }

  it('logs in from the inbox, and the card is gone', async () => {
    verifies('U4', 'U5')
    const { guest, idp, crib } = await opened()
    await guest.go('#/inbox')
    await guest.page.getByRole('heading', { name: 'box wants a log-in' }).waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await logInBy(guest.page, idp, 'lin')
    await guest.page.getByText('Nothing waits for you').waitFor()
    expect(await crib.call('box-whoami')).toMatchObject({ ok: true, value: 'lin' })
    await guest.end()
  })

  it("logs in from the server's row among the tools, where its tools appear", async () => {
    verifies('U4')
    const { guest, idp } = await opened()
    await guest.go('#/tools')
    await guest.page.getByText('mcp/box', { exact: true }).waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await logInBy(guest.page, idp, 'lin')
    await guest.page.getByText('box-whoami').waitFor()
    await guest.end()
  })
})
