// Every page with the keyboard alone: each stop of Tab is seen, the way comes round, and Escape closes what opened.
// And a server whose tools carry markup in their names.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'
import { hostile } from './console-crib.ts'
import { describeConsole, type Opened } from './describe-console.ts'

const names = [
  '<img src=x onerror="document.title=1">',
  'javascript:alert(1)',
  '\u202egnp.exe\u202c',
  '<b>bold</b>',
]

/** A server of the plainest kind, whose tools are called as nobody should be. */
const server = `
const names = ${JSON.stringify(names)}
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines.filter(Boolean)) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const result =
      method === 'initialize'
        ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: '<img src=x>', version: '1' } }
        : method === 'tools/list'
          ? { tools: names.map((name) => ({ name, title: name, description: ${JSON.stringify(hostile)}, inputSchema: { type: 'object', properties: { [name]: { type: 'string', title: name } } } })) }
          : { content: [{ type: 'text', text: names.join(' ') }] }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  }
})
`

async function openWithServer(): Promise<Opened> {
  const root = mkdtempSync(join(tmpdir(), 'console-keys-'))
  writeFiles(root, {
    'server.cjs': server,
    '.mcp.json': JSON.stringify({
      mcpServers: { evil: { command: process.execPath, args: ['server.cjs'] } },
    }),
  })
  const crib = await openCrib({
    root,
    trustFolder: true,
    env: { HOME: root, PATH: process.env['PATH'] },
    config: { approve: ['ask/*'], audit: { params: 'full' } },
  })
  crib.addTool({
    id: 'text/say',
    description: 'Says it.',
    params: { type: 'object', properties: { word: { type: 'string' } } },
    fn: (params) => params,
  })
  await crib.call('text/say', { word: 'one' })
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

interface Stop {
  readonly name: string
  readonly isSeen: boolean
}

/** Runs in the page: what has the focus, and whether one sees that it does. */
const focused = `(() => {
  const at = document.activeElement
  if (!at || at === document.body) return null
  const style = getComputedStyle(at)
  const box = at.getBoundingClientRect()
  at.dataset.walked ??= String((window.walked = (window.walked ?? 0) + 1))
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
  return {
    name: at.dataset.walked + ' ' + at.outerHTML.slice(0, 120),
    isSeen: (ring || style.boxShadow !== 'none') && box.width > 0 && box.bottom > 0 && box.top < innerHeight,
  }
})()`

/** Tabs until the first stop comes again or the page is left; at most `maxStops`, after which it is a trap. */
async function walk(page: Page, maxStops = 150): Promise<{ stops: Stop[]; isRound: boolean }> {
  const stops: Stop[] = []
  for (let at = 0; at < maxStops; at++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<Stop | null>(focused)
    if (stop === null || stop.name === stops[0]?.name) return { stops, isRound: true }
    if (stops.some(({ name }) => name === stop.name)) return { stops: [...stops, stop], isRound: false }
    stops.push(stop)
  }
  return { stops, isRound: false }
}

describeConsole('the keyboard and names of strangers', openWithServer, (bench) => {
  it('reaches everything on every page by Tab, shows where it is, and comes round', async () => {
    verifies('V6', 'V7')
    const { page, guest, opened } = bench
    const { runs } = (await (
      await fetch(`${opened.served.url}/api/runs`, {
        headers: { authorization: `Bearer ${opened.served.token}` },
      })
    ).json()) as { runs: [{ runId: string }] }
    const faults: string[] = []
    let all = 0
    for (const link of [
      '#/home',
      '#/tools',
      '#/tools/text/say',
      '#/tools/text/say?tab=how',
      '#/tools/text/say?tab=runs',
      '#/tools/text/say?tab=docs',
      '#/runs',
      `#/runs/${runs[0].runId}`,
      `#/threads/${runs[0].runId}`,
      '#/events',
      '#/events?tab=wiring',
      '#/events?tab=schedules',
      '#/inbox',
      '#/connect',
      '#/settings',
      '#/settings?tab=keys',
      '#/review/text/say',
    ]) {
      await guest.go(link)
      await page.locator('main h1:not(.unseen)').waitFor()
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      const { stops, isRound } = await walk(page)
      all += stops.length
      if (!isRound) faults.push(`${link} does not come round: ${stops.at(-1)?.name}`)
      for (const { name, isSeen } of stops) if (!isSeen) faults.push(`${link} hides the focus: ${name}`)
    }
    expect(faults).toEqual([])
    expect(all).toBeGreaterThan(170)
  })

  it('closes by Escape what a button opened, and goes back to the button', async () => {
    verifies('V6')
    const { page, guest } = bench
    for (const [link, button] of [
      ['#/tools', 'Add'],
      ['#/tools/text/say', 'Plan'],
      ['#/tools/text/say', 'Copy as'],
    ] as const) {
      await guest.go(link)
      const opener = page.getByRole('button', { name: button, exact: true })
      await opener.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await opener.evaluate('document.activeElement.textContent')).toContain(button)
    }
  })

  it('draws names of a server’s tools as text, wherever they stand', async () => {
    verifies('V9', 'V12', 'V21')
    const { page, guest, opened } = bench
    const { rows } = (await (
      await fetch(`${opened.served.url}/api/console/catalog`, {
        headers: { authorization: `Bearer ${opened.served.token}` },
      })
    ).json()) as { rows: { id: string; format: string }[] }
    const ids = rows.filter(({ format }) => format === 'mcp').map(({ id }) => id)
    const path = (id: string) => id.split('/').map(encodeURIComponent).join('/')
    for (const link of [
      '#/tools',
      '#/home',
      ...ids.flatMap((id) => [
        `#/tools/${path(id)}`,
        `#/tools/${path(id)}?tab=how`,
        `#/tools/${path(id)}?tab=docs`,
        `#/review/${path(id)}`,
      ]),
    ]) {
      await guest.go(link)
      await page.locator('main h1:not(.unseen)').waitFor()
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
      const made = await page.locator('main img, main b, [onerror], a[href^="javascript" i]').count()
      expect({ link, made }).toEqual({ link, made: 0 })
      expect(await page.title()).toContain('Toolcrib')
      // Letters that turn the direction are drawn as their number.
      const turned = (await page.locator('main').innerText()).includes('\u202e')
      expect({ link, turned }).toEqual({ link, turned: false })
    }
  })
})
