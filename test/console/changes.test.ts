// What runs did to the files, reviewed, accepted in part, taken back and compared in a real browser.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { type Served, serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { libraryPrincipal } from '../../src/tool/principal.ts'
import { code } from '../e2e/skills/skill-crib.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'
import { launchChromium } from './find-chromium.ts'
import { type Visit, visit } from './visit.ts'

const found = await launchChromium()
if (typeof found === 'string') console.log(`skipped: file changes in the web console (${found})`)

const writer = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "notes"
__tool_description__ = "Writes the same text to files"
CONFIG_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}, "files": {"type": "array"}},
    "required": ["text", "files"]}

def execute(params, project_path):
    for name in params["files"]:
        with open(f"{project_path}/{name}", "a") as file:
            file.write(params["text"])
    return {"success": True, "data": len(params["files"])}
`

describe.skipIf(typeof found === 'string')('file changes in the console', { timeout: 120_000 }, () => {
  const browser = found as Browser
  const top = mkdtempSync(join(tmpdir(), 'console-changes-'))
  const root = join(top, 'crib')
  let crib: Crib
  let served: Served
  let guest: Visit
  let page: Page
  const call = async (tool: string, params: object) => {
    const outcome = await crib.call(tool, params, { principal: libraryPrincipal })
    expect(outcome).toMatchObject({ ok: true })
    return outcome
  }

  beforeAll(async () => {
    writeFiles(root, {
      'toolcrib.yaml': 'trust: "off"\n',
      'log.txt': 'first\n',
      '.ai/tools/notes/write.py': writer,
      '.ai/tools/notes/draft.py': writer,
      'skills/twice.skill.js': code(
        { type: 'object' },
        "await ctx.manager.invoke('notes/write', { text: '', files: [] }); return ctx.manager.invoke('notes/write', { text: '', files: [] })",
      ),
    })
    crib = await openCrib({
      root,
      env: { PATH: process.env['PATH'], HOME: join(top, 'home'), XDG_STATE_HOME: join(top, 'state') },
      config: { effects: { tools: { 'notes/draft': 'hold' } }, audit: { params: 'full' } },
    })
    served = await serveCrib(crib, { port: 0, edit: true })
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await served?.close(0)
    await crib?.close()
    rmSync(top, { recursive: true, force: true })
  })
  beforeEach(async () => {
    guest = await visit(browser, served)
    page = guest.page
  })
  afterEach(() => guest.end())

  it('waits in the inbox as a difference, of which some files are accepted', async () => {
    verifies('V4', 'V15', 'V21', 'E9', 'E16')
    const { effects } = await call('notes/draft', { text: 'drafted\n', files: ['a.txt', 'b.txt'] })
    if (effects?.state === 'direct') return console.log(`skipped: ${effects.reason}`)
    await guest.go('#/inbox')
    await page.getByRole('link', { name: 'notes/draft wants to change 2 files' }).click()
    await page.getByRole('region', { name: 'Difference of a.txt' }).getByText('drafted').waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await guest.screenshot('held')
    await page.getByRole('checkbox', { name: 'Accept b.txt' }).uncheck()
    await page.getByRole('button', { name: 'Accept 1 file' }).click()
    await page.getByText('The changes are in place').waitFor()
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('drafted\n')
    expect(existsSync(join(root, 'b.txt'))).toBe(false)
    await page
      .getByRole('link', { name: 'notes/draft wants to change 2 files' })
      .waitFor({ state: 'detached' })
  })

  it('is on the page of its run, and is taken back there', async () => {
    verifies('V21', 'E14', 'E16')
    const { effects, runId } = await call('notes/write', { text: 'second\n', files: ['log.txt'] })
    if (effects?.state === 'direct') return console.log(`skipped: ${effects.reason}`)
    await guest.go(`#/runs/${runId}`)
    await page.getByRole('region', { name: 'Difference of log.txt' }).getByText('second').waitFor()
    writeFileSync(join(root, 'log.txt'), 'another\n')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('alert').getByText('log.txt').waitFor()
    expect(readFileSync(join(root, 'log.txt'), 'utf8')).toBe('another\n')
    await page.getByRole('button', { name: 'Put back all the same' }).click()
    await page.getByText('The files are as before').waitFor()
    expect(readFileSync(join(root, 'log.txt'), 'utf8')).toBe('first\n')
    await page.getByText('taken back').waitFor()
    expect(await guest.accessFaults()).toEqual([])
  })

  it('shows in the review of a tool what it holds and the last that can be undone, and on Home what changed', async () => {
    verifies('V8', 'V21', 'E9')
    const { effects } = await call('notes/write', { text: 'third\n', files: ['log.txt'] })
    if (effects?.state === 'direct') return console.log(`skipped: ${effects.reason}`)
    await call('notes/draft', { text: 'drafted\n', files: ['c.txt', 'd.txt'] })
    await page.reload()
    const changed = page.getByRole('region', { name: 'Changed files' })
    await changed
      .getByRole('link', { name: /^log\.txt\s*notes\/write\s*in place/ })
      .first()
      .waitFor()
    await changed.getByRole('link', { name: /^c\.txt and 1 more\s*notes\/draft\s*waiting/ }).waitFor()
    await guest.go('#/review/notes/draft')
    await page.getByRole('region', { name: 'Difference of c.txt' }).getByText('drafted').waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await guest.screenshot('review-held')
    await page.getByRole('button', { name: 'Throw away' }).click()
    await page.getByRole('button', { name: 'Throw away' }).waitFor({ state: 'detached' })
    await guest.go('#/review/notes/write')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The files are as before').waitFor()
    expect(readFileSync(join(root, 'log.txt'), 'utf8')).not.toContain('third')
  })

  it('folds the calls inside a run, and compares two runs', async () => {
    verifies('V13')
    await call('notes/write', { text: '', files: [] })
    await call('twice', {})
    await guest.go('#/runs')
    await page.getByRole('button', { name: '2 calls inside' }).click()
    const rows = page.getByRole('row').filter({ hasText: 'notes/write' })
    expect(await rows.count()).toBeGreaterThan(2)
    expect(await guest.accessFaults()).toEqual([])
    await rows.nth(0).getByRole('checkbox').check()
    await page.getByRole('row').filter({ hasText: 'twice' }).first().getByRole('checkbox').check()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Two runs compared' }).waitFor()
    await page.getByRole('region', { name: 'Difference of Arguments' }).getByText('files').waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    await page.getByRole('cell', { name: '1.0.0' }).first().waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await guest.screenshot('compare')
  })

  it('opens the code of a tool in an editor, saves it and says what is wrong with it now', async () => {
    verifies('V10', 'V18')
    await guest.go('#/tools/notes/write?tab=code')
    await page.getByRole('button', { name: 'Edit' }).click()
    const editor = page.getByRole('textbox', { name: 'Text of .ai/tools/notes/write.py' })
    await editor.getByText('Writes the same text to files').waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Shift+End')
    await page.keyboard.type('__version__ = "one"')
    await page.keyboard.press('Control+s')
    await page.getByText('version must be X.Y.Z').first().waitFor()
    expect(readFileSync(join(root, '.ai/tools/notes/write.py'), 'utf8')).toContain('__version__ = "one"')
    await guest.screenshot('editor')
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('version must be X.Y.Z').first().waitFor({ state: 'detached' })
    expect(readFileSync(join(root, '.ai/tools/notes/write.py'), 'utf8')).toBe(writer)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('region', { name: 'Text of .ai/tools/notes/write.py' }).waitFor()
  })

  it('lists tools by namespace, and says how to add more', async () => {
    verifies('V9')
    await guest.go('#/tools')
    const tree = page.getByRole('navigation', { name: 'Namespaces' })
    await tree.getByRole('button', { name: 'notes' }).click()
    await page.getByText(/^2 of \d+ tools$/).waitFor()
    expect(await page.getByRole('link', { name: /^twice/ }).count()).toBe(0)
    expect(await guest.accessFaults()).toEqual([])
    await guest.screenshot('namespaces')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('dialog').getByText('toolcrib add ./report.py').waitFor()
    expect(await guest.accessFaults()).toEqual([])
  })
})
