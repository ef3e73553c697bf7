import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { DirectWatch } from './direct-watch.ts'

it('says nothing of what the crib itself writes, where its own folders lie in the project', async () => {
  const project = tempFolder()
  const own = join(project, '.local/state/toolcrib')
  mkdirSync(join(project, '.local/state'), { recursive: true })
  const watch = new DirectWatch(project, [own])
  onTestFinished(() => watch.close())
  const watching = watch.begin([project])
  mkdirSync(join(own, 'changes'), { recursive: true })
  writeFileSync(join(own, 'changes/one.json'), '{}')
  writeFileSync(join(project, '.local/state/other'), 'a')
  const again = watch.begin([project])
  writeFileSync(join(own, 'changes/two.json'), '{}')
  writeFileSync(join(project, 'note.txt'), 'a')
  const paths = [...(await watching.end()).changes, ...(await again.end()).changes].map(({ path }) => path)
  expect([...new Set(paths)].sort()).toEqual(['.local/state/other', 'note.txt'])
})
