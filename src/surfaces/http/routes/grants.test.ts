import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { openCrib } from '../../../crib/open-crib.ts'
import { libraryPrincipal } from '../../../tool/principal.ts'
import { acceptProposal, grantProposals } from '../../grants/grant-proposals.ts'
import { inboxOf } from '../inbox.ts'
import { permitOf } from '../permit.ts'

it('inbox, permit and list show the same proposal, and accepting it settles all of them', async () => {
  verifies('L8')
  const root = tempFolder({ 'toolcrib.yaml': '# Kept.\n' })
  await using crib = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
  const tool = crib.find('rye/web/fetch')
  const denied = await crib.call(tool.id, { url: 'https://example.com' })
  expect(denied).toMatchObject({ ok: false, error: { code: 'CAPABILITY_DENIED' } })
  const [proposal] = await grantProposals(crib)
  expect(proposal).toMatchObject({ n: 1, tool: tool.id, grants: ['net.http'], count: 1 })
  expect(await inboxOf(crib)).toContainEqual({
    id: `grant:${tool.id}`,
    kind: 'grant',
    tool: tool.id,
    proposal,
  })
  const permit = await permitOf(crib, tool, { principal: libraryPrincipal })
  const stop = permit.stops.find(({ name }) => name === 'grants')
  expect(stop?.refusals[0]?.fix).toEqual({ kind: 'grant', names: proposal!.grants })
  await acceptProposal(crib, '1', libraryPrincipal)
  expect(await grantProposals(crib)).toEqual([])
  expect((await inboxOf(crib)).filter(({ kind }) => kind === 'grant')).toEqual([])
  expect((await permitOf(crib, tool, { principal: libraryPrincipal })).grants).toContain('net.http')
})

it('knows what recorded runs used: changed files, and nothing of what was denied', async () => {
  verifies('L8')
  const root = tempFolder()
  await using crib = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
  const tool = crib.find('rye/file-system/write')
  const wrote = await crib.call(tool.id, { path: 'out/a.txt', content: 'a' })
  expect(wrote.ok).toBe(true)
  expect((await crib.usesOf(tool)).used).toMatchObject([{ grant: 'fs.write:out/a.txt', count: 1 }])
  expect((await crib.usesOf(crib.find('rye/web/fetch'))).used).toEqual([])
})
