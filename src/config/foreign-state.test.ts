import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/helpers/temp-folder.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { FolderTrust } from './folder-trust.ts'
import { adoptAcceptedState, stateKey, withForeignState } from './foreign-state.ts'
import { type LoadedConfig, loadConfig } from './load-config.ts'
import { type Spaces, spacesOf } from './spaces.ts'

const env = () => ({ HOME: tempFolder(), TOOLCRIB_TRUST_FOLDER: '0' })

/** A crib as its user finds it. */
async function opened(root: string, variables: NodeJS.ProcessEnv = env()) {
  const spaces = spacesOf(root, variables)
  const trust = new FolderTrust(spaces, variables, false)
  const loaded = await loadConfig({ spaces, env: variables, trust })
  return { spaces, trust, loaded, variables }
}

const told = ({ loaded, spaces, trust }: { loaded: LoadedConfig; spaces: Spaces; trust: FolderTrust }) =>
  withForeignState(loaded, spaces, trust)

it('says nothing of a crib without one, or with its own', async () => {
  const crib = await opened(tempFolder())
  expect(told(crib)).toBe(crib.loaded)
  expect(adoptAcceptedState(crib.spaces, crib.variables, crib.trust)).toBe(crib.spaces)
})

it('asks about one that came with the folder, and uses none of it until then', async () => {
  verifies('G2')
  const root = tempFolder({ '.toolcrib/crib.db': 'x' })
  const crib = await opened(root)
  const { asks, problems, fault } = told(crib)
  expect(asks).toMatchObject([{ key: stateKey, file: join(root, '.toolcrib') }])
  expect(problems).toMatchObject([{ code: 'folder-not-accepted', severity: 'warning' }])
  expect(fault).toBeUndefined()
  expect(adoptAcceptedState(crib.spaces, crib.variables, crib.trust)).toBe(crib.spaces)
  expect(crib.spaces.state).not.toBe(join(root, '.toolcrib'))
})

it('uses it from the yes on, and nothing that stands in its place later', async () => {
  verifies('G2')
  const root = tempFolder({ '.toolcrib/crib.db': 'x' })
  const { variables, ...crib } = await opened(root)
  crib.trust.decide(told(crib).asks, true)
  const spaces = adoptAcceptedState(crib.spaces, variables, crib.trust)
  expect(spaces.state).toBe(join(root, '.toolcrib'))
  const later = await opened(root, variables)
  expect(told(later)).toBe(later.loaded)

  rmSync(join(root, '.toolcrib'), { recursive: true })
  symlinkSync(tempFolder({ 'crib.db': 'y' }), join(root, '.toolcrib'))
  const replaced = await opened(root, variables)
  expect(told(replaced).fault).toMatchObject({ code: 'state-foreign' })
})

it.each([
  ['a link', (root: string) => symlinkSync(tempFolder(), join(root, '.toolcrib'))],
  ['a file', (root: string) => writeFileSync(join(root, '.toolcrib'), '')],
])('runs nothing where %s stands in its place, whoever says yes', async (_, plant) => {
  verifies('G2')
  const root = tempFolder()
  plant(root)
  const crib = await opened(root)
  const { fault, problems, asks } = told(crib)
  expect(fault).toMatchObject({ code: 'state-foreign', severity: 'error', file: join(root, '.toolcrib') })
  expect(problems).toEqual([fault])
  expect(asks).toEqual([])
})

it('leaves a fault of the settings the first one', async () => {
  const root = tempFolder({ 'toolcrib.yaml': 'trust: maybe\n' })
  symlinkSync(tempFolder(), join(root, '.toolcrib'))
  const { fault, problems } = told(await opened(root))
  expect(fault).toMatchObject({ code: 'config-invalid' })
  expect(problems.map(({ code }) => code)).toEqual(['config-invalid', 'state-foreign'])
})
