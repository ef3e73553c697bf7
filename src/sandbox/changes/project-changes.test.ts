import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changesBetween } from '../../../test/helpers/trees.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { defaultConfig } from '../../config/config.ts'
import type { ProtectedSet } from '../../trust/protected-set.ts'
import type { ChangeRecord } from './change-log.ts'
import { layerSource } from './content-source.ts'
import { ProjectChanges } from './project-changes.ts'

let top: string
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'project-changes-')))
  for (const name of ['project', 'fresh']) mkdirSync(join(top, name))
})
afterEach(() => rmSync(top, { recursive: true }))

/** The first 48 bits of an id are its time. */
const runAt = (ms: number) =>
  `${ms
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`
const record = (run: string, state: ChangeRecord['state'] = 'committed'): ChangeRecord => ({
  run,
  tool: 'tool',
  at: new Date().toISOString(),
  state,
  steps: [],
})

it('lets records go that are older than what is kept, but none that waits for a person', async () => {
  verifies('E15')
  const [project, fresh] = [join(top, 'project'), join(top, 'fresh')]
  const changes = new ProjectChanges({
    project,
    stateFolder: join(top, 'state'),
    userState: join(top, 'user'),
    settings: () => defaultConfig.effects,
    protectedSet: () => ({}) as ProtectedSet,
  })
  const longAgo = Date.now() - 15 * 86_400_000
  const [old, held, young] = [runAt(longAgo), runAt(longAgo + 1), runAt(Date.now())]
  changes.log.save(record(old))
  changes.log.save(record(held, 'held'))
  writeFileSync(join(fresh, 'a'), 'a')
  await changes.commit(changesBetween(project, fresh), layerSource({ upper: fresh }), record(young))
  expect(changes.log.runs()).toEqual([held, young])
  await changes.close()
  expect(readdirSync(changes.journals)).toEqual([])
})
