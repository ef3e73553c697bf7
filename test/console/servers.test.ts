// MCP servers in the console: added from a paste, reconnected, their logs read.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openCrib } from '../../src/crib/open-crib.ts'
import { serveCrib } from '../../src/surfaces/http/serve-crib.ts'
import { echo, server, tell } from '../helpers/telling-server.ts'
import { writeFiles } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'
import { hostile } from './console-crib.ts'
import { describeConsole } from './describe-console.ts'

async function openEmpty() {
  const root = mkdtempSync(join(tmpdir(), 'console-servers-'))
  const odd = { ...tell, description: hostile }
  writeFiles(root, {
    'server.mjs': `process.stderr.write('ready <b>now</b>\\n')\n${server}`,
    'definitions.json': JSON.stringify([echo, odd]),
  })
  const crib = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] } })
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

describeConsole('servers in the console', openEmpty, (bench) => {
  it('tests a pasted server, shows its tools as text, and pins those that are chosen', async () => {
    verifies('V16', 'V18')
    const { page, guest, opened } = bench
    guest.expectRefusals(422)
    await guest.go('#/connect?add=1')
    const dialog = page.getByRole('dialog', { name: 'Add a server' })
    const field = dialog.getByLabel('A command, an address or an mcpServers block')
    await field.fill('{ nonsense')
    await dialog.getByRole('button', { name: 'Test' }).click()
    await dialog.getByRole('alert').getByText('The block is not JSON.').waitFor()
    await field.fill(JSON.stringify({ mcpServers: { box: { command: 'node', args: ['server.mjs'] } } }))
    await dialog.getByRole('button', { name: 'Test' }).click()
    await dialog.getByText('<script>alert(1)</script>').waitFor()
    expect(await dialog.locator('img, script').count()).toBe(0)
    expect(await dialog.innerText()).toContain('⟨U+202E⟩')
    expect(existsSync(join(opened.root, '.mcp.json'))).toBe(false)
    expect(await guest.accessFaults()).toEqual([])
    await dialog.getByRole('checkbox', { name: /tell/ }).uncheck()
    await dialog.getByRole('button', { name: 'Pin and add 1 tool' }).click()
    await dialog.getByText('1 tool is pinned and ready.').waitFor()
    expect(readFileSync(join(opened.root, 'toolcrib.lock'), 'utf8')).toContain('box-echo')
    await dialog.getByRole('link', { name: 'box-echo' }).click()
    await page.getByRole('heading', { name: 'box-echo' }).waitFor()
  })

  it('shows a server as a row, with its log, and reconnects it', async () => {
    verifies('V9')
    const { page, guest, opened } = bench
    await guest.go('#/tools')
    const row = page.locator('.tool-row', { has: page.getByText('mcp/box', { exact: true }) })
    await row.getByRole('button', { name: 'Log' }).click()
    const log = page.getByRole('dialog', { name: 'Log of box' })
    await log.getByText('ready <b>now</b>').first().waitFor()
    expect(await guest.accessFaults()).toEqual([])
    await page.keyboard.press('Escape')
    writeFileSync(join(opened.root, 'definitions.json'), '{')
    await row.getByRole('button', { name: 'Reconnect' }).click()
    await row.getByText('unreachable').waitFor()
    writeFileSync(join(opened.root, 'definitions.json'), JSON.stringify([echo]))
    await row.getByRole('button', { name: 'Reconnect' }).click()
    await row.getByText('unreachable').waitFor({ state: 'detached' })
  })
})
