// Settings in a real browser: rules as a table with their difference, secrets with their last use; approvals that say
// what would change; differences side by side; prompts as a model reads them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { verifies } from '../helpers/verifies.ts'
import { openConsoleCrib } from './console-crib.ts'
import { describeConsole } from './describe-console.ts'
import { visit } from './visit.ts'

describeConsole('the settings of the console', openConsoleCrib, (bench) => {
  const settings = () => {
    const file = join(bench.opened.root, 'toolcrib.yaml')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  it('adds and takes away grants and rules of approval, each after its difference was seen', async () => {
    verifies('V17', 'V18')
    const { page, guest } = bench
    await guest.go('#/settings?tab=grants')
    const rules = page.getByRole('region', { name: 'Grants' })
    const form = page.getByRole('form', { name: 'New rule' })
    await form.getByLabel(/^Tools/).fill('list/*')
    await form.getByLabel(/^Capabilities/).fill('net.http:example.com')
    await page.getByRole('button', { name: 'Show the difference' }).click()
    await page.getByRole('region', { name: 'Difference of toolcrib.yaml' }).getByText('example.com').waitFor()
    expect(settings()).toBe('')
    expect(await guest.accessFaults()).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await rules.getByText('net.http:example.com').waitFor()
    await form.getByRole('button', { name: 'Ask first' }).click()
    await form.getByLabel(/^Tools/).fill('picture/*')
    await page.getByRole('button', { name: 'Show the difference' }).click()
    await page.getByRole('dialog').getByText('picture').first().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    writeFileSync(join(bench.opened.root, 'toolcrib.yaml'), `# who may what\n${settings()}`)
    await rules.getByRole('button', { name: 'Take away list/*' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(settings).not.toContain('list/*')
    expect(settings()).toContain('# who may what')
    expect(settings()).toContain('picture/*')
  })

  it('says when a secret was used last', async () => {
    verifies('V17')
    const { page, guest, opened } = bench
    await guest.go('#/settings?tab=secrets')
    await page.getByLabel('Name').fill('NEEDY_KEY')
    await page.getByLabel('Value').fill('a value nobody sees')
    await page.getByRole('button', { name: 'Store' }).click()
    const row = page.getByRole('row', { name: /NEEDY_KEY/ })
    await row.getByText('not seen').waitFor()
    expect(await opened.crib.call('needy', {})).toMatchObject({ ok: true })
    await page.reload()
    await expect.poll(() => row.getByRole('cell').nth(3).innerText()).toMatch(/now|sec/)
  })

  it('says before an approval what the tool may touch and what would become of its changes', async () => {
    verifies('V4', 'V15')
    const { page, guest, opened } = bench
    const call = opened.crib.call('danger/erase', { what: 'chalk' })
    await guest.go('#/inbox')
    await page.getByText('"chalk"').waitFor()
    await page.getByText('What it changes cannot be taken back.').waitFor()
    await page.getByText('Network, files, programs').click()
    await page.getByRole('row', { name: /Memory/ }).waitFor()
    await page.keyboard.press('a')
    await call
  })

  it('shows code before and after side by side, and below each other where it is narrow', async () => {
    verifies('V21')
    const { opened, browser } = bench
    const file = join(opened.root, 'crumbs/drifter.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('noon', 'midnight'))
    await opened.crib.reload()
    for (const [width, halves] of [
      [1440, true],
      [900, false],
    ] as const) {
      const guest = await visit(browser, opened.served, { viewport: { width, height: 900 } })
      await guest.go('#/review/drifter')
      await guest.page.getByText('midnight').first().waitFor()
      expect((await guest.page.locator('.patch-half').count()) > 0).toBe(halves)
      await guest.page.getByRole('region', { name: 'Capabilities' }).waitFor()
      expect(await guest.accessFaults()).toEqual([])
      await guest.end()
    }
  })

  it('fills a prompt in while one types, and names its model and tools', async () => {
    verifies('V10')
    const { page, guest, opened } = bench
    writeFileSync(
      join(opened.root, 'summary.skill.md'),
      '---\nname: summary\ndescription: Sums up\nallowed-tools: list/people\nmetadata:\n  params: { type: object, properties: { text: { type: string } }, required: [text] }\n---\nSum up: :arg[text]\n',
    )
    await opened.crib.reload()
    await guest.go('#/tools/summary')
    const prompt = page.getByRole('region', { name: 'Prompt', exact: true })
    await prompt.getByText('list/people').waitFor()
    await prompt.getByText('none is set up').waitFor()
    await page.getByLabel('text required').fill('long <b>words</b>')
    await prompt.getByText('Sum up: long <b>words</b>').waitFor()
    expect(await page.locator('main b').count()).toBe(0)
  })
})
