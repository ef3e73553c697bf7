// Makes the pictures of the documentation: `PICTURES=1 npx vitest run test/console/pictures.test.ts`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { it } from 'vitest'
import { launchChromium } from './find-chromium.ts'
import { visit } from './visit.ts'
import { openWorkshop, toolCode } from './workshop.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))

it.skipIf(!process.env['PICTURES'])(
  'draws Home, Permit, Thread, Review and Inbox',
  async () => {
    const browser = (await launchChromium()) as Browser
    const workshop = await openWorkshop()
    const { crib, served, root } = workshop
    try {
      for (let n = 0; n < 24; n++) await crib.call('doubler', { n: n % 9 === 0 ? -1 : n })
      await crib.call('list/people', {})
      const { id } = await crib.crumbs.create({
        title: 'Ada comes in',
        schema_name: 'visit.v1',
        tags: ['door'],
        context: { name: 'Ada' },
      })
      writeFileSync(
        join(root, 'crumbs/drifter.json'),
        toolCode('drifter', { description: 'Says midnight.' }, 'export const execute = () => "midnight"\n'),
      )
      void crib.call('danger/erase', { what: 'dust' })
      void crib.call('slow/steps', {})
      const guest = await visit(browser, served, { viewport: { width: 1440, height: 810 } })
      for (const [name, link] of Object.entries({
        home: '#/home',
        permit: '#/tools/web/get',
        thread: `#/threads/${id}`,
        review: '#/review/drifter',
        inbox: '#/inbox',
      })) {
        await guest.go(link)
        await guest.page.locator('main h1').waitFor()
        await guest.page.waitForTimeout(5_000)
        await guest.page.screenshot({ path: join(docs, `console-${name}.png`) })
      }
      await guest.end()
    } finally {
      await browser.close()
      await workshop.close()
    }
  },
  240_000,
)
