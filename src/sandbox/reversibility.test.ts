import { expect, it } from 'vitest'
import { proves } from '../../test/helpers/proves.ts'
import { cribOf, pythonTool } from '../../test/security/crib-of.ts'
import { reversibilityOf } from './reversibility.ts'

const declaring = (requires: string) =>
  pythonTool('return 1').replace('CONFIG_SCHEMA', `__requires__ = ${requires}\nCONFIG_SCHEMA`)

it('is told by what a tool may do and where it runs, not by what it says of itself', async () => {
  proves('approve-class')
  const { crib } = await cribOf(
    {
      '.ai/tools/looks.py': declaring('["fs.read"]'),
      '.ai/tools/liar.py': declaring('["fs.write"]').replace(
        'CONFIG_SCHEMA',
        '__tags__ = ["read-only"]\nCONFIG_SCHEMA',
      ),
      '.ai/tools/silent.py': pythonTool('return 1'),
      '.ai/tools/direct.py': declaring('["fs.write"]'),
      '.ai/tools/sends.py': declaring('["net.http"]'),
      'skills/code.skill.js': "export const frontmatter = { name: 'code' }\nexport default () => 1\n",
    },
    { effects: { tools: { direct: 'direct' } }, approve: ['@external'] },
  )
  crib.addTool({ id: 'made', description: 'made in code', fn: () => 1 })
  const classes = [
    'looks',
    'liar',
    'silent',
    'direct',
    'sends',
    'code',
    'made',
    'rye/file-system/read',
    'rye/web/fetch',
  ].map((id) => reversibilityOf(crib.find(id), crib.config))
  expect(classes).toEqual([
    'read-only',
    'reversible',
    'reversible',
    'irreversible',
    'external',
    'irreversible',
    'irreversible',
    'read-only',
    'external',
  ])
  // Nobody attends, so what must be asked for is refused.
  expect(await crib.call('rye/web/fetch', { url: 'https://example.com' }, { dryRun: true })).toMatchObject({
    ok: false,
  })
  expect((await crib.refusals('sends', {})).map(({ code }) => code)).toContain('APPROVAL_DENIED')
  expect((await crib.refusals('looks', {})).map(({ code }) => code)).toEqual([])
  const unknown = await crib.call('rye/file-system/list', { path: '.', zzz: 1 })
  expect(unknown).toMatchObject({ ok: false, error: { code: 'PARAMS_INVALID' } })
})

it('a class that there is not is an error and no protection', async () => {
  await expect(cribOf({}, { approve: ['@dangerous'] })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})
