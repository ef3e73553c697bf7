import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { CrumbStore } from '../store/store.ts'
import { makeTool } from '../tool/tool.ts'
import { FleetSlots } from './fleet-slots.ts'

const tool = makeTool({
  id: 'slow',
  format: 'tool-code',
  tier: 'project',
  version: '1.0.0',
  source: { file: null, digest: 'd' },
  params: null,
})
const never = new AbortController().signal

describe('a place under a limit', () => {
  let store: CrumbStore
  let slots: FleetSlots
  beforeEach(() => {
    store = openSqliteStore(':memory:')
    slots = new FleetSlots(async () => store, 200)
  })
  afterEach(async () => {
    slots.close()
    await store.close()
  })

  it('is waited for until it is given back', async () => {
    const leave = await slots.take(tool, 1, never)
    let isIn = false
    const second = slots.take(tool, 1, never).then((given) => {
      isIn = true
      return given
    })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(isIn).toBe(false)
    await leave()
    await (await second)()
    expect(isIn).toBe(true)
  })

  it('that does not come is BUSY, with the limit and what to do', async () => {
    await slots.take(tool, 1, never)
    await expect(slots.take(tool, 1, never)).rejects.toMatchObject({
      code: 'BUSY',
      retryable: true,
      details: { most: 1 },
      hint: expect.stringContaining('fleet.tools'),
    })
  })

  it('is no longer waited for when the call ends', async () => {
    await slots.take(tool, 1, never)
    const ending = new AbortController()
    const waiting = slots.take(tool, 1, ending.signal)
    ending.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is refused when the store cannot say', async () => {
    await store.close()
    await expect(slots.take(tool, 1, never)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      retryable: true,
    })
    store = openSqliteStore(':memory:')
  })
})
