import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { seedDocuments } from './seed-files.ts'

const note = (title: string) =>
  JSON.stringify({ schema_name: 'note.v1', title, tags: [], context: { town: 'Tübingen' } })

it('gives the documents of a folder crumbs, also those that a link leads to', () => {
  verifies('C2')
  const root = tempFolder({
    'crumbs/plain.json': note('plain'),
    'crumbs/deeper/below.json': note('below'),
    'notes/linked.json': note('linked'),
    'notes/elsewhere.json': note('elsewhere'),
  })
  symlinkSync('../notes/linked.json', join(root, 'crumbs/linked.json'))
  symlinkSync('../notes', join(root, 'crumbs/folder.json'))
  symlinkSync('nowhere.json', join(root, 'crumbs/dangling.json'))
  symlinkSync('round.json', join(root, 'crumbs/round.json'))
  expect(seedDocuments(root, [root], []).map(({ file }) => file)).toEqual([
    'crumbs/deeper/below.json',
    'crumbs/linked.json',
    'crumbs/plain.json',
  ])
})

it('takes what begins with a byte order mark and leaves out what is no UTF-8', () => {
  verifies('C2')
  const root = tempFolder({ 'crumbs/plain.json': `\ufeff${note('plain')}` })
  writeFileSync(join(root, 'crumbs/latin.json'), Buffer.from(note('latin'), 'latin1'))
  expect(seedDocuments(root, [root], []).map(({ file }) => file)).toEqual(['crumbs/plain.json'])
})
