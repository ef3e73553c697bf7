import { describe, expect, it } from 'vitest'
import { cribWith } from '../../test/helpers/crib-with-tool.ts'
import { tempFolder, writeFiles } from '../../test/helpers/temp-folder.ts'
import { mergeConfig } from '../config/merge-config.ts'
import { spacesOf } from '../config/spaces.ts'
import { formats } from '../formats/registry.ts'
import { Protection, type ProtectionSources } from './protection.ts'

function protectionOf(more: Partial<ProtectionSources> = {}) {
  const root = tempFolder()
  const state = { config: mergeConfig([]).config, version: 1 }
  const protection = new Protection({
    catalog: {
      get version() {
        return state.version
      },
      tools: [],
    } as never,
    spaces: spacesOf(root, { HOME: root }),
    config: () => state.config,
    closed: () => [],
    formats: async () => formats,
    ...more,
  })
  return { protection, state, root }
}

describe('the protected set of a crib', () => {
  it('cannot be asked before the formats are there', () => {
    expect(() => protectionOf().protection.set).toThrow(/too early/)
  })

  it('loads the formats once', async () => {
    let loads = 0
    const { protection } = protectionOf({
      formats: async () => {
        loads++
        return formats
      },
    })
    await protection.load()
    await protection.load()
    expect(loads).toBe(1)
  })

  it('is the same object until the catalog or the settings are others', async () => {
    const { protection, state } = protectionOf()
    await protection.load()
    const first = protection.set
    expect(protection.set).toBe(first)
    state.version++
    const second = protection.set
    expect(second).not.toBe(first)
    state.config = { ...state.config }
    expect(protection.set).not.toBe(second)
  })

  it('protects the settings and the state, and leaves a plain file alone', async () => {
    const { protection, root } = protectionOf()
    await protection.load()
    expect(protection.set.why(`${root}/toolcrib.yaml`)).toBeDefined()
    expect(protection.set.why(`${root}/.toolcrib/crib.db`)).toBeDefined()
    expect(protection.set.why(`${root}/notes.md`)).toBeUndefined()
  })

  it('opens nothing inside a place that nobody accepted', async () => {
    const closed: string[] = []
    const { protection, root } = protectionOf({ closed: () => closed })
    closed.push(`${root}/toolcrib.yaml`)
    await protection.load()
    expect(protection.set.why(`${root}/toolcrib.yaml`)).toMatchObject({ isFixed: true })
  })
})

it('follows the files of a crib: a tool that appears is protected from then on', async () => {
  const crib = await cribWith()
  const file = `${crib.root}/lib/new.py`
  expect(crib.protectedSet.why(file)).toBeUndefined()
  writeFiles(crib.root, {
    '.ai/tools/new.py': '__version__ = "1.0.0"\n__tool_type__ = "python"\n__tool_description__ = "New"\n',
  })
  await crib.reload()
  expect(crib.protectedSet.why(`${crib.root}/.ai/tools/new.py`)).toBeDefined()
})
