import { describe, expect, it } from 'vitest'
import { cribWith } from '../../test/helpers/crib-with-tool.ts'
import { AddedTools } from './added-tools.ts'

const params = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }

describe('a tool made in code', () => {
  it('is a tool of the project that no file defines, with its function behind it', () => {
    const added = new AddedTools()
    const fn = () => 1
    const tool = added.add({ id: 'a/b', description: 'One', params, tags: ['x'], requires: ['net.http'], fn })
    expect(tool).toMatchObject({
      id: 'a/b',
      description: 'One',
      params,
      tags: ['x'],
      requires: ['net.http'],
      tier: 'project',
      source: { file: null },
      runtime: { name: 'function', plan: { function: 'a/b' } },
    })
    expect(added.functions.get('a/b')).toBe(fn)
    expect(added.tools).toEqual([tool])
  })

  it('takes the place of one added before under its id', () => {
    const added = new AddedTools()
    added.add({ id: 'a', description: 'old', fn: () => 1 })
    const tool = added.add({ id: 'a', description: 'new', fn: () => 2 })
    expect(added.tools).toEqual([tool])
    expect(added.functions.get('a')!({}, {} as never)).toBe(2)
  })

  it('has no schema where none is given', () => {
    expect(new AddedTools().add({ id: 'a', fn: () => 1 }).params).toBeNull()
  })

  it('with a name is a skill', () => {
    const tool = new AddedTools().add({ name: 'greet', description: 'Greets', run: () => 'hello' } as never)
    expect([tool.id, tool.format]).toEqual(['greet', 'skill'])
  })
})

describe('in a crib', () => {
  it('can be called at once, and its result is what the function gives', async () => {
    const crib = await cribWith()
    crib.addTool({ id: 'double', params, fn: (given) => (given as { n: number }).n * 2 })
    expect(await crib.call('double', { n: 21 })).toMatchObject({ ok: true, value: 42 })
    expect(await crib.call('double', { n: 'x' })).toMatchObject({ error: { code: 'PARAMS_INVALID' } })
  })

  it('is what it was added as last', async () => {
    const crib = await cribWith()
    crib.addTool({ id: 'a', fn: () => 'old' })
    expect(await crib.call('a')).toMatchObject({ value: 'old' })
    crib.addTool({ id: 'a', fn: () => 'new' })
    expect(await crib.call('a')).toMatchObject({ value: 'new' })
  })

  it('many are one change of the catalog', async () => {
    const crib = await cribWith()
    const before = crib.catalog.version
    crib.addTools([
      { id: 'a', fn: () => 1 },
      { id: 'b', fn: () => 2 },
    ])
    expect(crib.catalog.version).toBe(before + 1)
    expect(crib.list().map(({ id }) => id)).toEqual(expect.arrayContaining(['a', 'b']))
  })

  it('throws as a tool fails', async () => {
    const crib = await cribWith()
    crib.addTool({
      id: 'bad',
      fn: () => {
        throw new Error('no luck')
      },
    })
    const outcome = await crib.call('bad')
    expect(outcome).toMatchObject({ ok: false, error: { code: 'TOOL_FAILED' } })
    expect(JSON.stringify(outcome)).toContain('no luck')
  })
})
