// What tools, servers and people do to a console that is open: markup and 10 MB of text wherever a text can come from, a
// server that goes away in the middle of a call, a token that ends under a form, two answers at the same second.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { verifies } from '../helpers/verifies.ts'
import { hostile } from './console-crib.ts'
import { describeConsole, type Opened } from './describe-console.ts'

const tenMb = 10_000_000
const huge = `${hostile} ${'long '.repeat(tenMb / 5)}`

async function openHostileCrib(): Promise<Opened> {
  const root = mkdtempSync(join(tmpdir(), 'console-bad-'))
  const crib = await openCrib({
    root,
    env: { HOME: root, PATH: process.env['PATH'] },
    config: { approve: ['ask/*'], audit: { params: 'full' } },
  })
  crib.addTool({ id: 'bad/describes', description: huge, tags: [hostile], fn: () => hostile })
  crib.addTool({
    id: 'bad/says',
    description: hostile,
    fn: (_params, attempt) => {
      attempt.log('info', huge)
      attempt.progress({ done: 1, total: 2, message: hostile })
      return { [hostile]: hostile, text: huge, rows: [{ [hostile]: hostile }] }
    },
  })
  crib.addTool({
    id: 'bad/fails',
    description: hostile,
    fn: () => {
      throw new Error(huge)
    },
  })
  crib.addTool({ id: 'ask/first', description: 'Waits for a yes.', fn: () => 'done' })
  crib.addTool({
    id: 'slow/wait',
    description: 'Takes its time.',
    fn: (_params, attempt) =>
      new Promise((resolve) => {
        attempt.log('info', 'began')
        attempt.signal.addEventListener('abort', () => resolve('stopped'))
      }),
  })
  const served = await serveCrib(crib, { port: 0, edit: true })
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

/** Runs in the page: elements that only markup of a tool could have made, and how many letters are drawn. */
const drawn = `({
  made: document.querySelectorAll('main img, main script, main iframe, [onerror], a[href^="javascript" i]').length,
  letters: document.querySelector('main').textContent.length,
  title: document.title,
})`

async function expectHarmless(page: Page, what: string): Promise<void> {
  const { made, letters, title } = await page.evaluate<{ made: number; letters: number; title: string }>(
    drawn,
  )
  expect({ what, made, isOwnTitle: title.includes('Toolcrib') }).toEqual({ what, made: 0, isOwnTitle: true })
  expect(letters, `${what}: letters that are drawn`).toBeLessThan(500_000)
}

describeConsole('bad input', openHostileCrib, (bench) => {
  it('shows 10 MB of text and markup from description, log, result, error and event as text, and stays light', async () => {
    verifies('V12', 'V20')
    const { page, guest, opened } = bench
    const runs = await Promise.all(['bad/says', 'bad/fails'].map((id) => opened.crib.call(id, {})))
    const { id } = await opened.crib.crumbs.create({
      title: hostile,
      schema_name: 'bad.v1',
      tags: [hostile.slice(0, 60)],
      context: { [hostile]: hostile, text: 'long '.repeat(180_000) },
    })
    for (const link of [
      '#/home',
      '#/tools',
      '#/tools/bad/describes',
      '#/tools/bad/describes?tab=docs',
      '#/tools/bad/says',
      '#/runs',
      ...runs.map(({ runId }) => `#/runs/${runId}`),
      ...runs.map(({ runId }) => `#/threads/${runId}`),
      `#/threads/${runs[0]!.runId}?view=log`,
      `#/threads/${runs[0]!.runId}?view=graph`,
      `#/compare/${runs[0]!.runId}/${runs[1]!.runId}`,
      '#/events',
      `#/events/${id}`,
      `#/events/${id}?tab=edit`,
      `#/events/${id}?tab=causes`,
      '#/inbox',
    ]) {
      await guest.go(link)
      await page.locator('main h1:not(.unseen)').waitFor()
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
      await expectHarmless(page, link)
    }
    await guest.go('#/tools/bad/says')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
    await expectHarmless(page, 'a call')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('bad')
    await page
      .getByRole('option', { name: /bad\/describes/ })
      .first()
      .waitFor()
    expect(await page.locator('dialog img').count()).toBe(0)
  })

  it('tells one of two people who answer at the same second that the other one did', async () => {
    verifies('V15')
    const { browser, opened } = bench
    const people = await Promise.all(
      [1, 2].map(async () => {
        const context = await browser.newContext()
        const page = await context.newPage()
        await page.goto(`${opened.served.url}/#token=${opened.served.token}&to=/inbox`)
        return page
      }),
    )
    const call = opened.crib.call('ask/first', {})
    const [yes, no] = people as [Page, Page]
    await Promise.all(people.map((page) => page.getByRole('button', { name: 'Approve' }).waitFor()))
    await no.getByRole('button', { name: /^Deny/ }).click()
    // Neither browser has heard of the other's answer when it sends its own.
    let release = () => {}
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    let waiting = 0
    for (const page of people)
      await page.route('**/api/approvals/*', async (route) => {
        if (++waiting === 2) release()
        await both
        await route.continue()
      })
    await Promise.all([
      yes.getByRole('button', { name: 'Approve' }).click(),
      no.getByRole('button', { name: 'Deny', exact: true }).click(),
    ])
    const { ok } = await call
    await (ok ? no : yes).getByText('Somebody else decided, or the time was over.').waitFor()
    await (ok ? yes : no).getByText(ok ? 'ask/first approved' : 'ask/first denied').waitFor()
    await Promise.all(people.map((page) => page.context().close()))
  })

  it('keeps the page of a call whose server goes away, and follows it again when it is back', async () => {
    verifies('V1', 'V6')
    const { browser, opened } = bench
    let away = await serveCrib(opened.crib, { port: 0, watch: false, bootstrap: false })
    const { port, token, url } = away
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${url}/#token=${token}&to=/tools/slow/wait`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('log').getByText('began').waitFor()
    await away.close(0)
    await page.getByText(/Server not reachable since .*, retrying/).waitFor()
    expect(await page.getByRole('log').getByText('began').count()).toBe(1)
    // What is asked meanwhile says so, and the page stays.
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('The server does not answer.').first().waitFor()
    away = await serveCrib(opened.crib, { port, watch: false, bootstrap: false })
    await expect.poll(() => page.getByText(/Server not reachable/).count(), { timeout: 30_000 }).toBe(0)
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await expect
      .poll(() => outcome.innerText(), { timeout: 30_000 })
      .toMatch(/CANCELLED|succeeded|stopped|Running/)
    await context.close()
    await away.close(0)
  })
})
