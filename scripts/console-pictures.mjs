// Draws the console. `node scripts/console-pictures.mjs` makes the pictures of docs/; with a folder it draws every page
// there, light and dark, at 390, 1440 and 2560 pixels, of a busy, a quiet and an empty crib, and lays them together on
// contact sheets. `node scripts/console-pictures.mjs <folder> home,inbox` draws only these. `npm run build` comes first.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import bundled from '@sparticuz/chromium'
import { chromium } from 'playwright-core'
import { openCrib } from '../dist/index.js'

const home = fileURLToPath(new URL('..', import.meta.url))
const [target, only = ''] = process.argv.slice(2)
/** Those that the documentation shows. */
const docsPictures = ['home', 'permit', 'thread', 'review', 'inbox', 'changes']
const sizes = process.env.SIZES
  ? process.env.SIZES.split(',').map(Number)
  : target
    ? [390, 1440, 2560]
    : [1440]
const themes = process.env.THEMES ? process.env.THEMES.split(',') : target ? ['light', 'dark'] : ['light']

const browser = await chromium.launch({
  executablePath: await bundled.executablePath(),
  args: ['--no-sandbox', '--disable-background-networking', '--disable-gpu'],
})
try {
  await draw(busyCrib)
  if (target) {
    await draw(quietCrib)
    await draw(emptyCrib)
    await layTogether()
  }
} finally {
  await browser.close()
}

/** All pictures of one width and theme on sheets of a dozen, to look over them at once. */
async function layTogether() {
  const page = await browser.newPage({ viewport: { width: 1900, height: 900 } })
  for (const width of sizes)
    for (const theme of themes) {
      const names = readdirSync(target).filter((name) => name.endsWith(`-${width}-${theme}.png`))
      for (let at = 0; at < names.length; at += 12) {
        const figures = names.slice(at, at + 12).map((name) => {
          const picture = readFileSync(join(target, name)).toString('base64')
          return `<figure style="margin:0"><figcaption>${name}</figcaption><img style="height:${width === 390 ? 700 : 340}px" src="data:image/png;base64,${picture}"></figure>`
        })
        await page.setContent(
          `<body style="margin:4px;background:#888;display:flex;flex-wrap:wrap;gap:6px;font:11px sans-serif">${figures.join('')}`,
        )
        const path = join(target, `sheet-${width}-${theme}-${at / 12}.png`)
        await page.screenshot({ path, fullPage: true })
      }
    }
  await page.close()
}

/** Opens a crib in a folder of its own, draws its pages and removes it. */
async function draw(fill) {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-picture-'))
  const options = fill === busyCrib ? busyOptions(root) : { root }
  const crib = await openCrib({ ...options, env: { HOME: root, PATH: process.env.PATH }, trustFolder: true })
  const served = await crib.serve({ port: 0, edit: true })
  try {
    const pages = await fill(crib, root)
    for (const width of sizes)
      for (const theme of themes) {
        const context = await browser.newContext({
          viewport: { width, height: { 390: 844, 1440: 810, 2560: 1440 }[width] },
          colorScheme: theme,
          locale: 'en-US',
          reducedMotion: 'reduce',
        })
        const page = await context.newPage()
        await page.goto(`${served.url}/#token=${served.token}`)
        for (const [name, link] of Object.entries(pages)) {
          if (!target && !docsPictures.includes(name)) continue
          if (only && !only.split(',').some((part) => name.includes(part))) continue
          await page.goto(`${served.url}/${typeof link === 'string' ? link : link.link}`)
          await page.locator('main h1').waitFor()
          await page.locator('.skeleton').first().waitFor({ state: 'detached' })
          if (link.act) await link.act(page)
          if (link.part) await page.evaluate("document.querySelector('.notices')?.remove()")
          await page.evaluate("document.querySelector('main').scrollTo(0, 0)")
          await page.waitForTimeout(300)
          const path = target
            ? join(target, `${name}-${width}-${theme}.png`)
            : join(home, 'docs', `console-${name}.png`)
          await (target || !link.part ? page : page.locator(link.part)).screenshot({ path })
          if (link.act) await page.keyboard.press('Escape')
        }
        await context.close()
      }
  } finally {
    await served.close(0)
    await crib.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** The examples, one tool that needs a yes, one whose files are held, one that is denied, one that never ends. */
function busyOptions(root) {
  cpSync(join(home, 'examples'), root, { recursive: true, filter: (path) => !path.includes('.toolcrib') })
  mkdirSync(join(root, '.ai/tools/shop'), { recursive: true })
  const tool = (name, words, body) =>
    writeFileSync(
      join(root, `.ai/tools/shop/${name}.py`),
      `"""${words}"""\n__version__ = "1.0.0"\n__tool_type__ = "python"\n__executor_id__ = "rye/core/runtimes/python/function"\n__category__ = "shop"\n__tool_description__ = "${words}"\nCONFIG_SCHEMA = {"type": "object", "properties": {"file": {"type": "string", "default": "notes/shopping.md"}, "line": {"type": "string", "default": "- tea"}}}\n\n\n${body}`,
    )
  tool(
    'tidy',
    'Adds a line to a note and keeps a backup',
    'from pathlib import Path\n\ndef execute(params, project_path):\n    note = Path(project_path) / params.get("file", "notes/shopping.md")\n    text = note.read_text()\n    note.with_suffix(".bak").write_text(text)\n    note.write_text(text + params.get("line", "- tea") + "\\n")\n    return {"lines": text.count("\\n") + 1}\n',
  )
  tool(
    'refund',
    'Gives a customer the money back',
    'def execute(params, project_path):\n    return {"refunded": True}\n',
  )
  // What was approved, so that the change below is one to review.
  execFileSync(process.execPath, [join(home, 'dist/cli.js'), 'lock', '-C', root, '--trust-folder', '-q'], {
    env: { ...process.env, HOME: root },
  })
  return {
    root,
    config: {
      approve: ['shop/refund'],
      audit: { params: 'full' },
      effects: { tools: { 'shop/tidy': 'hold' } },
    },
  }
}

async function busyCrib(crib, root) {
  crib.addTool({
    id: 'web/fetch-price',
    description: 'Asks a shop for a price.',
    requires: ['net.http'],
    fn: () => 'page',
  })
  crib.addTool({
    id: 'report/yearly',
    description: 'Writes the yearly report, chapter by chapter.',
    fn: async (_params, attempt) => {
      for (let step = 1; step <= 400 && !attempt.signal.aborted; step++) {
        attempt.log('info', `chapter ${step}`)
        attempt.progress({ done: step, total: 400, message: 'writing' })
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    },
  })
  crib.addTool({
    id: 'list/people',
    description: 'People and when they were born.',
    fn: () => [
      { name: 'Ada', born: 1815 },
      { name: 'Grace', born: 1906 },
      { name: 'Alan', born: 1912 },
    ],
  })
  const drifting = join(root, 'skills/word-count.skill.ts')
  await crib.startEngines()
  for (let n = 0; n < 40; n++) await crib.call('calculator', { expression: n % 9 === 0 ? '1 /' : `${n} * 2` })
  for (let n = 0; n < 6; n++) await crib.call('list/people', {})
  await crib.call('web/fetch-price', {})
  const held = await crib.call('shop/tidy', {})
  const order = await crib.call('order_place', {
    item: 'eraser',
  })
  const again = await crib.call('order_place', { item: 'pencil' })
  const event = (await crib.crumbs.list({ schema: 'order.placed.v1', limit: 1 })).items[0]
  writeFileSync(drifting, `${readFileSync(drifting, 'utf8')}\n// one more line\n`)
  crib.approvals.attend()
  void crib.call('shop/refund', { file: 'order 17' })
  void crib.call('report/yearly', {})
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  return {
    home: '#/home',
    tools: '#/tools',
    tool: '#/tools/calculator',
    permit: '#/tools/web/fetch-price',
    'tool-how': '#/tools/calculator?tab=how',
    'tool-code': '#/tools/calculator?tab=code',
    'tool-runs': '#/tools/calculator?tab=runs',
    'tool-docs': '#/tools/calculator?tab=docs',
    runs: '#/runs',
    run: `#/runs/${order.runId}`,
    changes: { link: `#/runs/${held.runId}`, part: 'section[aria-label="File changes"]' },
    thread: `#/threads/${order.runId}`,
    'thread-graph': `#/threads/${order.runId}?view=graph`,
    events: '#/events',
    wiring: '#/events?tab=wiring',
    schedules: '#/events?tab=schedules',
    letters: '#/events?tab=letters',
    start: '#/events?tab=automation',
    'add-server': '#/connect?add=1',
    review: '#/review/word-count',
    event: `#/events/${event.id}`,
    compare: `#/compare/${order.runId}/${again.runId}`,
    palette: { link: '#/home', act: (page) => page.keyboard.press('Control+k') },
    'thread-log': `#/threads/${order.runId}?view=log`,
    inbox: '#/inbox',
    connect: '#/connect?client=cursor',
    secrets: '#/settings?tab=secrets',
    grants: '#/settings?tab=grants',
    tokens: '#/settings?tab=tokens',
    server: '#/settings?tab=server',
    nodes: '#/settings?tab=nodes',
    keys: '#/settings?tab=keys',
    'tool-settings': '#/settings?tab=tools',
    lost: '#/nowhere',
  }
}

/** One tool, called twice. */
async function quietCrib(crib) {
  crib.addTool({ id: 'list/people', description: 'People.', fn: () => [{ name: 'Ada', born: 1815 }] })
  const run = await crib.call('list/people', {})
  await crib.call('list/people', {})
  return {
    'quiet-home': '#/home',
    'quiet-tools': '#/tools',
    'quiet-tool': '#/tools/list/people',
    'quiet-runs': '#/runs',
    'quiet-run': `#/runs/${run.runId}`,
    'quiet-thread': `#/threads/${run.runId}`,
    'quiet-inbox': '#/inbox',
  }
}

async function emptyCrib() {
  return {
    'empty-home': '#/home',
    'empty-tools': '#/tools',
    'empty-runs': '#/runs',
    'empty-events': '#/events',
    'empty-inbox': '#/inbox',
    'empty-wiring': '#/events?tab=wiring',
    'empty-schedules': '#/events?tab=schedules',
    'empty-letters': '#/events?tab=letters',
    'empty-connect': '#/connect',
    'empty-secrets': '#/settings?tab=secrets',
    'empty-tokens': '#/settings?tab=tokens',
  }
}
