// What a person at the console changes with a button in place of a command, and what a call would do before it does it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { filesOfTool } from '../../src/surfaces/trust/named-files.ts'
import { signFiles } from '../../src/surfaces/trust/sign-files.ts'
import { newKey } from '../../src/trust/keys.ts'
import { signingFolder } from '../../src/trust/signing-key.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'
import { describeConsole, type Opened } from './describe-console.ts'
import { visit } from './visit.ts'

const greeter = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "shop"
__tool_description__ = "Greets by name"
CONFIG_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}


def execute(params, project_path):
    return "Hello " + params.get("name", "you")
`

async function openUnsigned(): Promise<Opened> {
  const root = mkdtempSync(join(tmpdir(), 'console-edits-'))
  writeFiles(root, { '.ai/tools/shop/hello.py': greeter })
  const crib = await openCrib({
    root,
    env: { HOME: root, PATH: process.env['PATH'] },
    config: { trust: 'require' },
  })
  newKey(crib.trust, signingFolder(crib.spaces.userAi, crib.env), 'Ada')
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

describeConsole('edits in the console', openUnsigned, (bench) => {
  it('signs an unsigned tool with a button, after which it runs; without --edit the button copies the command', async () => {
    verifies('V18', 'V19')
    const { page, guest, opened, browser } = bench
    const looking = await serveCrib(opened.crib, { port: 0, watch: false, bootstrap: false })
    const other = await visit(browser, looking)
    await other.go('#/tools/shop/hello')
    await other.page.getByRole('button', { name: 'toolcrib sign shop/hello' }).waitFor()
    expect(await other.page.getByRole('button', { name: 'Sign', exact: true }).count()).toBe(0)
    await other.end()
    await looking.close(0)
    await guest.go('#/tools/shop/hello')
    const strip = page.getByRole('list', { name: 'Guards' })
    await strip.getByRole('button', { name: /^Trust.*would stop the call/ }).waitFor()
    await page.getByRole('button', { name: 'Sign', exact: true }).click()
    await strip.getByRole('button', { name: /^Trust.*passes/ }).waitFor()
    expect(readFileSync(join(opened.root, '.ai/tools/shop/hello.py'), 'utf8')).toMatch(/^# .*sign/)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('succeeded').waitFor()
  })

  it('shows the plan of a call with the arguments of the form, and runs nothing', async () => {
    verifies('V10')
    const { page, guest, opened } = bench
    const runs = async () => {
      await opened.crib.crumbs.runs.flush()
      return (await (await opened.crib.crumbs.store()).runs.list({ limit: 50 })).length
    }
    await signFiles(opened.crib, filesOfTool(opened.crib, await opened.crib.resolve('shop/hello')))
    await opened.crib.reload()
    const before = await runs()
    await guest.go('#/tools/shop/hello')
    await page.getByLabel('name', { exact: true }).fill('Ada')
    await page.getByRole('button', { name: 'Plan' }).click()
    const plan = page.getByRole('dialog', { name: 'What this call would do' })
    await plan.getByText('Everything is resolved and checked; nothing ran.').waitFor()
    await plan.getByText('execute').first().waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await guest.screenshot('plan')
    await page.keyboard.press('Escape')
    await plan.waitFor({ state: 'detached' })
    expect(await runs()).toBe(before)
  })
})
