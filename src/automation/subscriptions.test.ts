import { afterEach, describe, expect, it } from 'vitest'
import { alice, Rig, type RigTool } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { holds } from '../events/match-event.ts'
import type { Subscription } from '../formats/tool-code/shapes.ts'
import type { Json } from '../tool/json.ts'
import { ToolError } from '../tool/tool-error.ts'

let rig: Rig
afterEach(() => rig.close())

const note = (more: object = {}) => ({ title: 'n', schema_name: 'note.v1', tags: [], context: {}, ...more })

/** A tool that notes what it was run with. */
function listener(
  subscriptions: readonly Subscription[],
  runs: unknown[] = [],
  more: Partial<RigTool> = {},
): RigTool {
  return {
    fn: (input, session) => runs.push({ input, request: session.request }),
    details: { subscriptions },
    ...more,
  }
}

describe('a subscription', () => {
  it('runs its tool on create and update, with the event as trigger', async () => {
    verifies('C68', 'C69', 'C71', 'C53')
    const runs: {
      input: unknown
      request: { id: string; agentId: string; trigger_event: Record<string, unknown> }
    }[] = []
    rig = new Rig({ watch: listener([{ schema_name: 'note.v1', tag: 'hot', input: { depth: 2 } }], runs) })
    await rig.start()
    const { id } = await rig.crumbs.create(note({ tags: ['hot'], context: { n: 1 } }), alice)
    await rig.crumbs.update(id, { context: { n: 2 } }, alice)
    await rig.crumbs.create(note({ tags: ['cold'] }), alice)
    await rig.crumbs.remove(id, alice)
    await rig.quiet()
    expect(runs.map(({ request }) => request.trigger_event['type'])).toEqual([
      'breadcrumb.created',
      'breadcrumb.updated',
    ])
    const event = runs[0]!.request.trigger_event
    expect(event).toMatchObject({
      breadcrumb_id: id,
      owner_id: 'local',
      version: 1,
      tags: ['hot'],
      schema_name: 'note.v1',
      title: 'n',
      created_by: 'alice',
      context: { n: 1 },
      causation: { root: event['id'], depth: 0, by_tool: null },
    })
    expect(runs[0]).toMatchObject({
      input: { depth: 2 },
      request: { id: `sub-${event['id']}-watch`, agentId: 'alice' },
    })
  })

  it('gets trigger_event as input only when the schema declares it', async () => {
    verifies('C71')
    const runs: { input: Record<string, unknown> }[] = []
    const params = { type: 'object', properties: { trigger_event: { type: 'object' } } }
    rig = new Rig({ watch: listener([{ schema_name: 'note.v1' }], runs, { params }) })
    await rig.start()
    await rig.crumbs.create(note({ title: 'hi' }), alice)
    await rig.quiet()
    expect(runs[0]!.input).toMatchObject({ trigger_event: { title: 'hi' } })
  })

  it('runs a tool once when two of its subscriptions match, with the input of the first', async () => {
    verifies('C71', 'C-case-39')
    const runs: { input: unknown }[] = []
    rig = new Rig({
      watch: listener(
        [
          { schema_name: 'note.v1', tag: 'a', input: { by: 1 } },
          { schema_name: 'note.v1', input: { by: 2 } },
        ],
        runs,
      ),
    })
    await rig.start()
    await rig.crumbs.create(note({ tags: ['a'] }), alice)
    await rig.quiet()
    expect(runs).toHaveLength(1)
    expect(runs[0]!.input).toEqual({ by: 1 })
  })

  it('starts at now when first seen, and where it was when seen again', async () => {
    verifies('C72', 'C-case-42')
    const runs: { request: { trigger_event: { title: string } } }[] = []
    const tools = { watch: listener([{ schema_name: 'note.v1' }], runs) }
    rig = new Rig(tools)
    await rig.crumbs.create(note({ title: 'before' }), alice)
    await rig.start()
    await rig.crumbs.create(note({ title: 'one' }), alice)
    await rig.quiet()
    await rig.close({ keep: true })
    rig = new Rig(tools, { dir: rig.dir, clock: rig.clock })
    await rig.crumbs.create(note({ title: 'while away' }), alice)
    await rig.start()
    await rig.crumbs.create(note({ title: 'two' }), alice)
    await rig.quiet()
    expect(runs.map(({ request }) => request.trigger_event.title)).toEqual(['one', 'while away', 'two'])
  })

  it('works its events in order, one at a time, and goes on after a failure', async () => {
    verifies('C72', 'C66')
    const order: string[] = []
    let running = 0
    rig = new Rig({
      watch: {
        details: { subscriptions: [{ schema_name: 'note.v1' }] },
        fn: async (_input, session) => {
          expect(++running).toBe(1)
          await new Promise((resolve) => setImmediate(resolve))
          running--
          const title = String(session.request.trigger_event['title'])
          order.push(title)
          if (title === '2') throw new Error('no twos')
        },
      },
    })
    await rig.start()
    for (const title of ['1', '2', '3']) await rig.crumbs.create(note({ title }), alice)
    await rig.quiet()
    expect(order).toEqual(['1', '2', '3'])
    expect(await rig.all('tool.error.v1')).toMatchObject([
      { context: { code: 'TOOL_FAILED', message: 'no twos', tool: 'watch' } },
    ])
    expect(await rig.all('tool.response.v1')).toEqual([])
  })

  it('tries a lost worker again after 1 s and 4 s before the next event', async () => {
    verifies('C66', 'C72')
    const seen: [string, number][] = []
    rig = new Rig({
      watch: {
        details: { subscriptions: [{ schema_name: 'note.v1' }] },
        fn: (_input, session) => {
          const title = String(session.request.trigger_event['title'])
          seen.push([title, rig.clock.now()])
          if (title === 'a') throw new ToolError('WORKER_LOST', 'gone', { retryable: true })
        },
      },
    })
    await rig.start()
    const begin = rig.clock.now()
    await rig.crumbs.create(note({ title: 'a' }), alice)
    await rig.crumbs.create(note({ title: 'b' }), alice)
    await rig.clock.advance(10_000)
    expect(seen.map(([title, at]) => [title, at - begin])).toEqual([
      ['a', 0],
      ['a', 1_000],
      ['a', 5_000],
      ['b', 5_000],
    ])
    expect(await rig.all('tool.error.v1')).toMatchObject([{ context: { code: 'WORKER_LOST', attempts: 3 } }])
  })

  it('skips events whose crumb has expired meanwhile', async () => {
    verifies('C72')
    const runs: unknown[] = []
    const tools = { watch: listener([{ schema_name: 'note.v1' }], runs) }
    rig = new Rig(tools)
    await rig.start()
    await rig.close({ keep: true })
    rig = new Rig(tools, { dir: rig.dir, clock: rig.clock })
    await rig.crumbs.create(note({ title: 'brief', ttl_seconds: 10 }), alice)
    await rig.crumbs.create(note({ title: 'lasting' }), alice)
    rig.clock.jump(rig.clock.now() + 10_000)
    await rig.start()
    await rig.quiet()
    expect(runs).toMatchObject([{ request: { trigger_event: { title: 'lasting' } } }])
  })

  it('takes effect when a tool appears and ends when it goes', async () => {
    verifies('C6', 'C69')
    const runs: unknown[] = []
    const tools: { [name: string]: RigTool } = {}
    rig = new Rig(tools)
    const engines = await rig.start()
    tools['late'] = listener([{ schema_name: 'note.v1' }], runs)
    engines.toolsChanged()
    await rig.quiet()
    await rig.crumbs.create(note(), alice)
    await rig.quiet()
    expect(runs).toHaveLength(1)
    delete tools['late']
    engines.toolsChanged()
    await rig.quiet()
    await rig.crumbs.create(note(), alice)
    await rig.quiet()
    expect(runs).toHaveLength(1)
  })
})

describe('loops', () => {
  it('a tool is not triggered by what it writes itself, unless it allows that: then eight runs', async () => {
    verifies('C73', 'C-case-40')
    for (const [allowSelf, expected] of [
      [false, 1],
      [true, 8],
    ] as const) {
      let runs = 0
      const self: RigTool = {
        details: { subscriptions: [{ schema_name: 'note.v1', allowSelf }] },
        fn: async (_input, session) => {
          runs++
          await session.create(note() as never, {})
        },
      }
      rig = new Rig({ self })
      await rig.start()
      await rig.crumbs.create(note(), alice)
      for (let n = 0; n < 12; n++) await rig.quiet()
      expect(runs).toBe(expected)
      const letters = await rig.all('tool.error.v1')
      expect(letters.map(({ context }) => (context as { code: string }).code)).toEqual(
        allowSelf ? ['LOOP_DEPTH'] : [],
      )
      if (!allowSelf) await rig.close()
    }
  })

  it('two tools that trigger each other stop after eight runs with one dead letter', async () => {
    verifies('C73', 'C-case-41')
    let runs = 0
    const hop = (from: string, to: string): RigTool => ({
      details: { subscriptions: [{ schema_name: from }] },
      fn: async (_input, session) => {
        runs++
        await session.create({ title: 'hop', schema_name: to, tags: [], context: {} }, {})
      },
    })
    rig = new Rig({ ping: hop('ball.a', 'ball.b'), pong: hop('ball.b', 'ball.a') })
    await rig.start()
    await rig.crumbs.create({ title: 'serve', schema_name: 'ball.a', context: {} }, alice)
    for (let n = 0; n < 12; n++) await rig.quiet()
    expect(runs).toBe(8)
    expect(await rig.all('tool.error.v1')).toMatchObject([{ context: { code: 'LOOP_DEPTH' } }])
  })

  it('a tool that listens to dead letters does not make dead letters of dead letters without end', async () => {
    verifies('C73')
    let runs = 0
    rig = new Rig({
      self: {
        details: { subscriptions: [{ schema_name: 'note.v1', allowSelf: true }] },
        fn: (_input, session) => session.create(note() as never, {}),
      },
      mourner: { details: { subscriptions: [{ schema_name: 'tool.error.v1' }] }, fn: () => ++runs },
    })
    await rig.start()
    await rig.crumbs.create(note(), alice)
    for (let n = 0; n < 15; n++) await rig.quiet()
    expect(await rig.all('tool.error.v1')).toHaveLength(1)
    expect(runs).toBe(0)
  })

  it('requests count as hops too: a tool that asks for itself is answered LOOP_DEPTH', async () => {
    verifies('C73')
    let runs = 0
    rig = new Rig({
      again: {
        fn: async (_input, session) => {
          runs++
          await session.create(
            {
              title: 'r',
              schema_name: 'tool.request.v1',
              tags: ['tool:request', 'workspace:tools'],
              context: { tool: 'again' },
            },
            {},
          )
        },
      },
    })
    await rig.start()
    await rig.crumbs.create(
      {
        title: 'r',
        schema_name: 'tool.request.v1',
        tags: ['tool:request', 'workspace:tools'],
        context: { tool: 'again' },
      },
      alice,
    )
    for (let n = 0; n < 15; n++) await rig.quiet()
    expect(runs).toBe(8)
    const codes = (await rig.all('tool.response.v1')).map(
      ({ context }) => (context as { error_code?: string }).error_code,
    )
    expect(codes.filter((code) => code === 'LOOP_DEPTH')).toHaveLength(1)
    expect(codes).toHaveLength(9)
  })
})

describe('many events', () => {
  it('of one crumb within the window become the last one', async () => {
    verifies('C74')
    const runs: { request: { trigger_event: { context: { n: number } } } }[] = []
    rig = new Rig({ watch: listener([{ schema_name: 'note.v1', coalesce_ms: 500 }], runs) })
    await rig.start()
    const { id } = await rig.crumbs.create(note({ context: { n: 0 } }), alice)
    for (const n of [1, 2, 3]) await rig.crumbs.update(id, { context: { n } }, alice)
    await rig.clock.advance(499)
    expect(runs).toHaveLength(0)
    await rig.clock.advance(1)
    expect(runs.map(({ request }) => request.trigger_event.context.n)).toEqual([3])
  })

  it('over 60 a minute are delayed, not lost', async () => {
    verifies('C74')
    const runs: unknown[] = []
    rig = new Rig({ watch: listener([{ schema_name: 'note.v1' }], runs) })
    await rig.start()
    for (let n = 0; n < 70; n++) await rig.crumbs.create(note(), alice)
    await rig.clock.advance(59_000)
    expect(runs).toHaveLength(60)
    await rig.clock.advance(2_000)
    expect(runs).toHaveLength(70)
  })

  it('past 1000 waiting collapse per crumb to the newest, with one dead letter', async () => {
    verifies('C74')
    const seen: number[] = []
    let release: () => void = () => {}
    rig = new Rig({
      watch: {
        details: { subscriptions: [{ schema_name: 'note.v1' }] },
        fn: async (_input, session) => {
          if (seen.length === 0)
            await new Promise<void>((resolve) => {
              release = resolve
            })
          seen.push((session.request.trigger_event['context'] as { n: number }).n)
        },
      },
    })
    await rig.start({ runsPerMinute: 1_000_000 })
    const { id } = await rig.crumbs.create(note({ context: { n: 0 } }), alice)
    await rig.clock.advance(0)
    for (let n = 1; n <= 1100; n++) await rig.crumbs.update(id, { context: { n } }, alice)
    await rig.clock.advance(0)
    release()
    await rig.quiet()
    expect(seen.length).toBeLessThanOrEqual(1001)
    expect(seen.at(-1)).toBe(1100)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(await rig.all('tool.error.v1')).toMatchObject([{ context: { code: 'SUB_OVERFLOW' } }])
  })
})

describe('context rules', () => {
  const context = { a: { b: [1, 'two'] }, n: 5, s: 'hello', list: ['x', { y: 1 }] }
  it.each<[string, string, Json, boolean]>([
    ['n', 'eq', 5, true],
    ['$.n', 'eq', 5, true],
    ['a.b[0]', 'eq', 1, true],
    ['n', 'ne', 5, false],
    ['n', 'gt', 4, true],
    ['n', 'gte', 5, true],
    ['n', 'lt', 5, false],
    ['n', 'lte', 5, true],
    ['n', 'gt', '4', false],
    ['s', 'gt', 'abc', true],
    ['s', 'contains', 'ell', true],
    ['list', 'contains', 'x', true],
    ['list', 'contains', { y: 1 }, true],
    ['list', 'contains', 'ell', false],
    ['list', 'contains_any', ['q', 'x'], true],
    ['s', 'contains_any', ['q'], false],
    ['s', 'exists', true, true],
    ['nope', 'exists', true, false],
    ['nope', 'exists', false, true],
    ['nope', 'ne', 1, true],
    ['nope', 'eq', null, false],
    ['nope', 'lt', 1, false],
    ['constructor', 'exists', true, false],
  ])('%s %s %j is %s', (path, op, value, expected) => {
    verifies('C70')
    expect(holds({ path, op: op as 'eq', value }, context)).toBe(expected)
  })
})
