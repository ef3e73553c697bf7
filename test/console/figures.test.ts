// What the console may weigh and how long it may take, measured in a real browser and printed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { demand, demandMs } from '../helpers/budgets.ts'
import { verifies } from '../helpers/verifies.ts'
import { openConsoleCrib } from './console-crib.ts'
import { describeConsole } from './describe-console.ts'

const folder = fileURLToPath(new URL('../../dist/console', import.meta.url))
const kbOf = (file: string) => gzipSync(readFileSync(join(folder, file))).length / 1024
const isCode = (file: string) => /\.(js|css)$/.test(file)

describeConsole('the figures of the console', openConsoleCrib, (bench) => {
  it('keeps the first page, every page and the whole within their sizes', async () => {
    verifies('V22')
    const html = readFileSync(join(folder, 'index.html'), 'utf8')
    const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file!)
    const sum = (files: readonly string[]) => files.reduce((kb, file) => kb + kbOf(file), 0)
    demand('KB of the first page, gzip', sum(first), 45)
    const all = readdirSync(join(folder, 'assets')).filter(isCode)
    demand('KB of all code, gzip', sum(all.map((file) => `assets/${file}`)), 330)
    const { runId } = await bench.opened.crib.call('list/people', {})
    for (const link of [
      '#/home',
      '#/tools',
      '#/tools/form/everything',
      '#/tools/doubler?tab=code',
      '#/tools/doubler?tab=how',
      '#/runs',
      `#/runs/${runId}`,
      `#/threads/${runId}?view=graph`,
      '#/events',
      '#/events?tab=wiring',
      '#/inbox',
      '#/connect?client=cursor',
      '#/settings?tab=grants',
      '#/review/doubler',
    ]) {
      const context = await bench.browser.newContext()
      const page = await context.newPage()
      const loaded = new Set<string>()
      page.on('request', (request) => {
        const path = new URL(request.url()).pathname.slice(1)
        if (isCode(path)) loaded.add(path)
      })
      const { url, token } = bench.opened.served
      await page.goto(`${url}/#token=${token}&to=${encodeURIComponent(link.slice(1))}`)
      await page.locator('main h1:not(.unseen)').waitFor()
      await expect.poll(() => page.locator('.skeleton').count(), { timeout: 20_000 }).toBe(0)
      await page.waitForTimeout(1_000)
      demand(`KB of ${link.replace(runId, '…')}, gzip`, sum([...loaded]), 120)
      await context.close()
    }
  })

  it('sends its files and long answers packed', async () => {
    verifies('V2')
    const { url, token } = bench.opened.served
    const headers = { authorization: `Bearer ${token}` }
    const asked = async (path: string, encoding: string) => {
      const answer = await fetch(`${url}${path}`, { headers: { ...headers, 'accept-encoding': encoding } })
      return [answer.headers.get('content-encoding'), await answer.text()] as const
    }
    const [, html] = await asked('/', 'identity')
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!
    const plain = await asked(script, 'identity')
    expect(plain[0]).toBe(null)
    expect(await asked(script, 'gzip, br')).toEqual(['br', plain[1]])
    expect(await asked(script, 'gzip')).toEqual(['gzip', plain[1]])
    expect((await asked('/api/console/catalog', 'gzip'))[0]).toBe('gzip')
    expect((await asked('/api/grants', 'gzip'))[0]).toBe(null)
  })

  it('draws what happens on the server within half a second', async () => {
    verifies('V1', 'V14')
    const { page, guest, opened } = bench
    await guest.go('#/events')
    await page.getByRole('heading', { name: 'Events' }).waitFor()
    await page.waitForTimeout(500)
    const times: number[] = []
    for (let n = 0; n < 5; n++) {
      const seen = page.evaluate<number>(`new Promise((resolve) => {
        const look = () => document.body.textContent.includes('Came ${n}!') ? resolve(Date.now()) : requestAnimationFrame(look)
        look()
      })`)
      const beganMs = Date.now()
      await opened.crib.crumbs.create({ title: `Came ${n}!`, schema_name: 'came.v1', tags: [], context: {} })
      times.push((await seen) - beganMs)
    }
    demandMs('from an event to the screen, best of five', Math.min(...times), 500)
    await guest.go('#/runs')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    const appears = page.evaluate<number>(`new Promise((resolve) => {
      const look = () => [...document.querySelectorAll('.run-table tr')].some((row) => row.textContent.includes('picture/dot'))
        ? resolve(Date.now()) : requestAnimationFrame(look)
      look()
    })`)
    await page.waitForTimeout(1_500)
    const beganMs = Date.now()
    await opened.crib.call('picture/dot', {})
    demandMs('from the end of a run to its row', (await appears) - beganMs, 500)
  })
})
