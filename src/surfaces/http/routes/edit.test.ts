import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { sha256 } from '../../../tool/json.ts'
import { newKey } from '../../../trust/keys.ts'
import { signingFolder } from '../../../trust/signing-key.ts'
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
  expect(body.after).toContain('web/get: [net.http]')
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

const tool = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__category__ = "text"
__tool_description__ = "Says a word"

def execute(params, project_path):
    return {"success": True, "data": "one"}
`
const source = '/api/console/source/text/say'
const path = '.ai/tools/text/say.py'

it('saves a file of a tool under --edit, says what is wrong with it now, and records it', async () => {
  verifies('V10', 'V18')
  const served = await servedCrib({ files: { [path]: tool }, edit: true })
  const [file] = (await served.ask('GET', source)).body.files
  const changed = tool.replace('__version__ = "1.0.0"', '__version__ = "one"')
  const saved = await served.ask('POST', source, { path: file.path, text: changed, digest: file.digest })
  expect(saved.status).toBe(200)
  expect(saved.body.problems).toMatchObject([{ code: 'version-invalid', line: 1 }])
  expect(readFileSync(join(served.root, path), 'utf8')).toBe(changed)
  const stale = await served.ask('POST', source, { path: file.path, text: tool, digest: file.digest })
  expect(stale).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  const { digest } = saved.body
  const healed = await served.ask('POST', source, { path: file.path, text: tool, digest })
  expect(healed.body.problems).toEqual([])
  await served.crib.crumbs.runs.flush()
  const [record] = await (await served.crib.crumbs.store()).runs.list({ limit: 1, kinds: ['allow'] })
  expect(record).toMatchObject({ tool: 'text/say', caller: 'operator' })
  expect(record!.reason).toContain('say.py saved in the console')
})

it('saves nothing outside the crib, nothing the tool does not name, and nothing without --edit', async () => {
  verifies('V18')
  const outside = tempFolder({ 'say.py': tool })
  const served = await servedCrib({ files: { 'a.txt': 'a' }, edit: true })
  mkdirSync(join(served.root, '.ai/tools/text'), { recursive: true })
  symlinkSync(join(outside, 'say.py'), join(served.root, path))
  await served.crib.reload()
  const shown = await served.ask('GET', source)
  for (const file of shown.status === 200 ? shown.body.files : []) expect(file.digest).toBeUndefined()
  for (const name of [path, 'a.txt', '../a.txt', join(served.root, 'a.txt')]) {
    const body = { path: name, text: 'pwned', digest: sha256(tool) }
    expect((await served.ask('POST', source, body)).status).toBe(404)
  }
  expect(readFileSync(join(outside, 'say.py'), 'utf8')).toBe(tool)
  const plain = await servedCrib({ files: { [path]: tool } })
  const [file] = (await plain.ask('GET', source)).body.files
  expect(file.digest).toBeUndefined()
  const body = { path: file.path, text: 'x', digest: sha256(tool) }
  expect((await plain.ask('POST', source, body)).status).toBe(404)
})

it('signs the files of a tool under --edit, says why it cannot, and records it', async () => {
  verifies('V18', 'V19')
  const served = await servedCrib({ files: { [path]: tool }, config: { trust: 'require' }, edit: true })
  const sign = '/api/console/sign/text/say'
  expect((await served.ask('POST', sign)).body).toMatchObject({ code: 'SECRET_MISSING' })
  newKey(served.crib.trust, signingFolder(served.crib.spaces.userAi, served.crib.env), 'Ada')
  expect((await served.ask('GET', '/api/tools/text/say/why')).body.isOpen).toBe(false)
  expect(await served.ask('POST', sign)).toMatchObject({ status: 200, body: { files: [path] } })
  expect((await served.ask('GET', '/api/tools/text/say/why')).body.isOpen).toBe(true)
  await served.crib.crumbs.runs.flush()
  const [record] = await (await served.crib.crumbs.store()).runs.list({ limit: 1, kinds: ['allow'] })
  expect(record).toMatchObject({ tool: 'text/say', reason: `${path} signed in the console` })
  const { token } = (await served.ask('POST', '/api/tokens', { name: 'guest' })).body
  expect((await served.ask('POST', sign, undefined, { token })).status).toBe(403)
})

it('has no way to sign without --edit', async () => {
  verifies('V18')
  const served = await servedCrib({ files: { [path]: tool } })
  expect((await served.ask('POST', '/api/console/sign/text/say')).status).toBe(404)
})
