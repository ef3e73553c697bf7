// Makes docs/console.png: the console showing a tool of examples/ right after one of its examples ran.
// Usage: npm run build && node scripts/console-picture.mjs
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import bundled from '@sparticuz/chromium'
import { chromium } from 'playwright-core'
import { openCrib } from '../dist/index.js'

const home = fileURLToPath(new URL('..', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'toolcrib-picture-'))
cpSync(join(home, 'examples'), root, { recursive: true, filter: (path) => !path.includes('.toolcrib') })
mkdirSync(join(home, 'docs'), { recursive: true })

const crib = await openCrib({ root })
const served = await crib.serve({ port: 0 })
const browser = await chromium.launch({
  executablePath: await bundled.executablePath(),
  args: ['--no-sandbox', '--disable-background-networking', '--disable-gpu'],
})
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, locale: 'en-US' })
  await page.goto(`${served.url}/#token=${served.token}`)
  await page.goto(`${served.url}/#/tools/calculator`)
  await page.getByRole('button', { name: /^Run precedence/ }).click()
  await page.getByText('as expected').waitFor()
  await page.evaluate("document.querySelector('main').scrollTo(0, 0)")
  await page.screenshot({ path: join(home, 'docs', 'console.png') })
} finally {
  await browser.close()
  await served.close(0)
  await crib.close()
  rmSync(root, { recursive: true, force: true })
}
