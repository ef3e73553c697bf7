import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { servedCrib } from '../fixtures/served-crib.ts'

const yaml = '# Ours\ngrants:\n  # web tools\n  tools:\n    "other/*": [net.http] # yes\n'
const change = { list: 'grants.tools', pattern: 'web/get', add: ['net.http'] }
const settings = '/api/console/settings'

it('shows what a change would make of the file, comments kept, and writes nothing', async () => {
  verifies('V17', 'V18')
  const served = await servedCrib({ files: { 'toolcrib.yaml': yaml } })
  const { body, status } = await served.ask('POST', `${settings}/preview`, change)
  expect(status).toBe(200)
  expect(body.before).toBe(yaml)
  expect(body.after).toContain('# web tools')
  expect(body.after).toContain('web/get: [ net.http ]')
  expect(readFileSync(join(served.root, 'toolcrib.yaml'), 'utf8')).toBe(yaml)
  expect((await served.ask('POST', settings, { ...change, digest: body.digest })).status).toBe(404)
})

it('saves it under --edit, so that the tool may run, as one audit record', async () => {
  verifies('V18', 'V19')
  const served = await servedCrib({ files: { 'toolcrib.yaml': yaml }, edit: true })
  served.crib.addTool({ id: 'web/get', requires: ['net.http'], fn: () => 'page' })
  expect((await served.ask('GET', '/api/tools/web/get/why')).body.isOpen).toBe(false)
  const { digest } = (await served.ask('POST', `${settings}/preview`, change)).body
  expect((await served.ask('POST', settings, { ...change, digest })).status).toBe(200)
  expect((await served.ask('GET', '/api/tools/web/get/why')).body.isOpen).toBe(true)
  await served.crib.crumbs.runs.flush()
  const [record] = await (await served.crib.crumbs.store()).runs.list({ limit: 1, kinds: ['allow'] })
  expect(record).toMatchObject({ tool: 'web/get', caller: 'operator' })
  expect(record!.reason).toContain('+net.http')
})

it('refuses to save over a file that changed since it was looked at', async () => {
  verifies('V18')
  const served = await servedCrib({ files: { 'toolcrib.yaml': yaml }, edit: true })
  const { digest } = (await served.ask('POST', `${settings}/preview`, change)).body
  writeFileSync(join(served.root, 'toolcrib.yaml'), `${yaml}# more\n`)
  expect((await served.ask('POST', settings, { ...change, digest })).status).toBe(409)
  expect(readFileSync(join(served.root, 'toolcrib.yaml'), 'utf8')).toContain('# more')
})

it('is for admins, and not where other machines can reach it', async () => {
  verifies('V18')
  const served = await servedCrib({ files: { 'toolcrib.yaml': yaml }, edit: true })
  const { token } = (await served.ask('POST', '/api/tokens', { name: 'guest' })).body
  expect((await served.ask('POST', settings, change, { token })).status).toBe(403)
  expect((await served.ask('GET', '/api/console/info', undefined, { token })).body.canEdit).toBe(false)
  await expect(servedCrib({ edit: true, host: '0.0.0.0', token: 't'.repeat(20) })).rejects.toThrow(
    '--edit is refused',
  )
})
