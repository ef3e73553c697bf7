// One visit of the console in a fresh browser context. It watches for what must never happen: errors in the
// browser's console, requests to anywhere else, the token in an address.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Served } from '../../src/surfaces/http/serve-crib.ts'

const artifacts = fileURLToPath(new URL('../artifacts', import.meta.url))
mkdirSync(artifacts, { recursive: true })

/** A loaded machine is slow; what is waited for comes, or the test is right to fail. */
const patienceMs = 20_000

/** Runs in the page. */
const runAxe = `axe.run(document, {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
})`

export interface Visit {
  readonly page: Page
  /** Goes to a page of the console: `#/runs`. */
  go(link: string): Promise<void>
  /** Refusals that the story provokes on purpose; the browser reports each as an error. */
  expectRefusals(...statuses: number[]): void
  screenshot(name: string): Promise<void>
  /** Every violation axe finds. */
  accessFaults(): Promise<string[]>
  /** Ends the visit and checks what was watched. */
  end(): Promise<void>
}

export async function visit(
  browser: Browser,
  served: Served,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const faults: string[] = []
  const refusals = new Set<number>()
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const status = Number(/status of (\d+)/.exec(message.text())?.[1])
    if (!refusals.has(status)) faults.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url) && !request.url().startsWith('data:'))
      faults.push(`a request to ${request.url()}`)
    if (served.token && request.url().includes(served.token)) faults.push('the token is in an address')
  })
  await page.goto(`${served.url}/#token=${served.token}`)
  try {
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  } catch (error) {
    throw new Error(`The console did not open: ${faults.join('\n') || 'no fault was seen'}`, { cause: error })
  }
  return {
    page,
    async go(link) {
      await page.goto(`${served.url}/${link}`)
    },
    expectRefusals(...statuses) {
      for (const status of statuses) refusals.add(status)
    },
    async screenshot(name) {
      await page.screenshot({ path: `${artifacts}/console-${name}.png` })
    },
    async accessFaults() {
      await page.evaluate(axe.source)
      const { violations } = await page.evaluate<AxeResults>(runAxe)
      const place = new URL(page.url()).hash
      return violations.map(
        ({ id, nodes }) => `${place} ${id}: ${nodes.map((node) => node.html).join(' | ')}`,
      )
    },
    async end() {
      await context.close()
      expect(faults).toEqual([])
    },
  }
}
