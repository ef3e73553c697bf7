import { afterEach, describe, expect, it } from 'vitest'
import { alice, Rig, type RigTool, requestFor } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import type { JsonObject } from '../tool/json.ts'
import { ToolError } from '../tool/tool-error.ts'

let rig: Rig
afterEach(() => rig.close())

const echo: RigTool = { fn: (input) => ({ got: input }) }

async function responses(): Promise<
  { tags: readonly string[]; title: string; context: JsonObject; created_by: string }[]
> {
  return (await rig.all('tool.response.v1')) as never
}

describe('a request', () => {
  it('runs its tool and gets one response with the tags and fields of the format', async () => {
    verifies('C60', 'C62', 'C63', 'C-case-34')
    rig = new Rig({ echo })
    await rig.start()
    const { id } = await rig.crumbs.create(requestFor('echo', { a: 1 }, { requestId: 'llm-7' }), alice)
    await rig.quiet()
    const all = await responses()
    expect(all).toHaveLength(1)
    expect(all[0]!.title).toBe('Response: echo')
    expect(all[0]!.tags).toEqual(['workspace:tools', 'tool:response', 'request:llm-7', 'request:llm'])
    expect(all[0]!.context).toMatchObject({
      request_id: 'llm-7',
      request_breadcrumb_id: id,
      tool: 'echo',
      status: 'success',
      output: { got: { a: 1 } },
      attempts: 1,
      metadata: { timedOut: false, exitCode: 0 },
    })
    expect(all[0]!.context).not.toHaveProperty('error')
  })

  it('runs with {} when it has no input and uses its own id when it has no requestId', async () => {
    verifies('C61', 'C63')
    rig = new Rig({ echo })
    await rig.start()
    const { id } = await rig.crumbs.create(requestFor('echo'), alice)
    await rig.quiet()
    expect((await responses())[0]!).toMatchObject({
      tags: ['workspace:tools', 'tool:response', `request:${id}`],
      context: { request_id: id, output: { got: {} } },
    })
  })

  it.each([
    ['no tool', { input: {} }, 'REQUEST_INVALID'],
    ['null as input', { tool: 'echo', input: null }, 'REQUEST_INVALID'],
    ['a list as input', { tool: 'echo', input: [] }, 'REQUEST_INVALID'],
    ['a number as requestId', { tool: 'echo', requestId: 7 }, 'REQUEST_INVALID'],
    ['an unknown tool', { tool: 'nope', requestId: 'r1' }, 'TOOL_NOT_FOUND'],
  ])('with %s gets an error response', async (_, context, code) => {
    verifies('C61', 'C-case-37')
    rig = new Rig({ echo })
    await rig.start()
    const { id } = await rig.crumbs.create({ ...requestFor('echo'), context: context as JsonObject }, alice)
    await rig.quiet()
    const all = await responses()
    expect(all).toHaveLength(1)
    expect(all[0]!.context).toMatchObject({ status: 'error', error_code: code })
    expect(all[0]!.context['error']).toMatch(/^Error: /)
    expect(all[0]!.tags).toContain(
      `request:${'requestId' in context && typeof context.requestId === 'string' ? 'r1' : id}`,
    )
  })

  it('whose tool throws gets an error response and one dead letter', async () => {
    verifies('C63', 'C66', 'C-case-38')
    rig = new Rig({
      bad: {
        fn: (_input, _session, call) => {
          call.log('info', 'about to fail')
          throw new Error('x went wrong')
        },
      },
    })
    await rig.start()
    await rig.crumbs.create(requestFor('bad', {}, { requestId: 'r9' }), alice)
    await rig.quiet()
    expect(await responses()).toMatchObject([
      {
        title: 'Error: bad',
        context: { status: 'error', error: 'Error: x went wrong', error_code: 'TOOL_FAILED', attempts: 1 },
      },
    ])
    const letters = await rig.all('tool.error.v1')
    expect(letters).toHaveLength(1)
    expect(letters[0]!.tags).toEqual(['tool:error', 'tool:bad', 'request:r9', 'workspace:tools'])
    expect(letters[0]!.context).toMatchObject({
      request_id: 'r9',
      tool: 'bad',
      code: 'TOOL_FAILED',
      message: 'x went wrong',
      attempts: 1,
      log_tail: ['info: about to fail'],
    })
  })

  it.each([
    ['TOOL_EXITED', 3],
    ['COMMAND_FAILED', null],
  ] as const)(
    'whose tool failed by %s is answered with the code its process ended with: %j',
    async (code, exitCode) => {
      verifies('C63')
      rig = new Rig({
        quits: {
          fn: () => {
            throw new ToolError(code, 'its process ended', { details: { exitCode } })
          },
        },
      })
      await rig.start()
      await rig.crumbs.create(requestFor('quits'), alice)
      await rig.quiet()
      expect((await responses())[0]!.context).toMatchObject({ metadata: { timedOut: false, exitCode } })
    },
  )

  it('whose result no breadcrumb can hold is answered with that, and its tool is not run again', async () => {
    verifies('C62')
    let runs = 0
    const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))
    const fn = () => {
      runs++
      return deep
    }
    rig = new Rig({ deep: { fn } })
    await rig.start()
    await rig.crumbs.create(requestFor('deep'), alice)
    await rig.quiet()
    expect(await responses()).toMatchObject([{ context: { status: 'error', error_code: 'RESULT_INVALID' } }])
    await rig.clock.advance(300_000)
    await rig.quiet()
    expect(runs).toBe(1)
  })

  it('is ignored with a warning without its tags, and silently as a health check', async () => {
    verifies('C60')
    rig = new Rig({ echo })
    await rig.start()
    await rig.crumbs.create({ ...requestFor('echo'), tags: ['tool:request'] }, alice)
    expect(rig.logs.join('\n')).toContain('ignored')
    await rig.crumbs.create(
      { ...requestFor('echo'), tags: ['tool:request', 'workspace:tools', 'health:check'] },
      alice,
    )
    await rig.quiet()
    expect(await responses()).toEqual([])
  })

  it('is not run again by a later edit', async () => {
    verifies('C62')
    let runs = 0
    rig = new Rig({ count: { fn: () => ++runs } })
    await rig.start()
    const { id } = await rig.crumbs.create(requestFor('count'), alice)
    await rig.quiet()
    await rig.crumbs.update(id, { context: { tool: 'count', input: { again: true } } }, alice)
    await rig.quiet()
    expect(runs).toBe(1)
    expect(await responses()).toHaveLength(1)
  })

  it('with the requestId, tool and input of another within a day is a duplicate: not run, not answered', async () => {
    verifies('C62')
    let runs = 0
    rig = new Rig({ count: { fn: () => ++runs } })
    await rig.start()
    const same = requestFor('count', { n: 1 }, { requestId: 'r' })
    await rig.crumbs.create(same, alice)
    await rig.crumbs.create(same, alice)
    await rig.quiet()
    await rig.crumbs.create(same, alice)
    await rig.quiet()
    expect(runs).toBe(1)
    await rig.crumbs.create(requestFor('count', { n: 2 }, { requestId: 'r' }), alice)
    await rig.quiet()
    expect(runs).toBe(2)
    rig.clock.jump(rig.clock.now() + 24 * 3_600_000 + 1)
    await rig.crumbs.create(same, alice)
    await rig.quiet()
    expect(runs).toBe(3)
  })

  it('that was written while nobody listened is taken at the start, oldest first', async () => {
    verifies('C65', 'C-case-36')
    const order: unknown[] = []
    rig = new Rig({ note: { fn: (input) => order.push((input as { n: number }).n) } })
    for (const n of [1, 2, 3]) await rig.crumbs.create(requestFor('note', { n }), alice)
    await rig.start({ concurrency: 1 })
    await rig.quiet()
    expect(order).toEqual([1, 2, 3])
    expect(await responses()).toHaveLength(3)
  })

  it('older than a day is answered REQUEST_STALE', async () => {
    verifies('C65')
    let runs = 0
    rig = new Rig({ count: { fn: () => ++runs } })
    await rig.crumbs.create(requestFor('count'), alice)
    rig.clock.jump(rig.clock.now() + 24 * 3_600_000 + 1)
    await rig.start()
    await rig.quiet()
    expect(runs).toBe(0)
    expect((await responses())[0]!.context).toMatchObject({ error_code: 'REQUEST_STALE' })
  })
})

describe('trying again', () => {
  it('three times in all, after 1 s and 4 s, with the same request id', async () => {
    verifies('C66', 'C53')
    const seen: { at: number; id: string }[] = []
    rig = new Rig({
      lost: {
        fn: (_input, session) => {
          seen.push({ at: rig.clock.now(), id: session.request.id })
          throw new ToolError('WORKER_LOST', 'gone', { retryable: true })
        },
      },
    })
    await rig.start()
    const begin = rig.clock.now()
    const { id } = await rig.crumbs.create(requestFor('lost'), alice)
    await rig.quiet()
    await rig.clock.advance(999)
    expect(seen).toHaveLength(1)
    await rig.clock.advance(1)
    await rig.quiet()
    expect(seen).toHaveLength(2)
    await rig.clock.advance(4_000)
    await rig.quiet()
    expect(seen.map(({ at }) => at - begin)).toEqual([0, 1_000, 5_000])
    expect(new Set(seen.map((one) => one.id))).toEqual(new Set([id]))
    expect((await responses())[0]!.context).toMatchObject({
      error_code: 'WORKER_LOST',
      attempts: 3,
      metadata: { exitCode: null },
    })
    expect(await rig.all('tool.error.v1')).toHaveLength(1)
    await rig.clock.advance(60_000)
    expect(seen).toHaveLength(3)
  })

  it('comes also when it becomes due while the node looks for what is due next', async () => {
    verifies('C66')
    let runs = 0
    rig = new Rig({
      lost: {
        fn: () => {
          runs++
          throw new ToolError('WORKER_LOST', 'gone', { retryable: true })
        },
      },
    })
    const { requests } = rig.open.store
    const look = requests.nextDueMs.bind(requests)
    const firstSeen = new Map<number, number>()
    requests.nextDueMs = async () => {
      const due = await look()
      const now = rig.clock.now()
      if (due === null || due <= now) return due
      if (!firstSeen.has(due)) firstSeen.set(due, now)
      return firstSeen.get(due) === now ? now : due
    }
    await rig.start()
    await rig.crumbs.create(requestFor('lost'), alice)
    await rig.quiet()
    for (let second = 0; second < 8; second++) {
      await rig.clock.advance(1_000)
      await rig.quiet()
    }
    expect(runs).toBe(3)
  })

  it('happens for no other failure', async () => {
    verifies('C66')
    let runs = 0
    rig = new Rig({
      slow: {
        fn: () => {
          runs++
          throw new ToolError('TIMEOUT', 'too slow', { retryable: true })
        },
      },
    })
    await rig.start()
    await rig.crumbs.create(requestFor('slow'), alice)
    await rig.quiet()
    await rig.clock.advance(10_000)
    expect(runs).toBe(1)
    expect((await responses())[0]!.context).toMatchObject({ metadata: { timedOut: true, exitCode: null } })
  })
})

describe('claims', () => {
  it('are held by one node at a time and pass on when the lease ends', async () => {
    verifies('C64')
    rig = new Rig()
    await rig.crumbs.create(requestFor('echo'), alice)
    const { requests } = rig.store
    expect(await requests.claim('one', 60_000)).toMatchObject({ attempts: 1 })
    expect(await requests.claim('two', 60_000)).toBeNull()
    rig.clock.jump(rig.clock.now() + 50_000)
    await requests.renew('one', 60_000)
    rig.clock.jump(rig.clock.now() + 59_000)
    expect(await requests.claim('two', 60_000)).toBeNull()
    rig.clock.jump(rig.clock.now() + 1_000)
    expect(await requests.claim('two', 60_000)).toMatchObject({ attempts: 2 })
  })

  it('write nothing when they were lost: only the holder can answer, and only once', async () => {
    verifies('C62', 'C64')
    rig = new Rig()
    const { id } = await rig.crumbs.create(requestFor('echo'), alice)
    const { requests } = rig.store
    const draft = {
      title: 'r',
      context: {},
      tags: [],
      schema_name: 'tool.response.v1',
      visibility: 'team',
      sensitivity: 'low',
    } as const
    await requests.claim('one', 1_000)
    rig.clock.jump(rig.clock.now() + 1_000)
    await requests.claim('two', 60_000)
    expect(await requests.finish(id, 'one', draft, [], alice)).toBe(false)
    expect(await requests.finish(id, 'two', draft, [], alice)).toBe(true)
    expect(await requests.finish(id, 'two', draft, [], alice)).toBe(false)
    expect(await responses()).toHaveLength(1)
  })

  it('renew while a tool runs longer than the lease', async () => {
    verifies('C64')
    let finish: (value: unknown) => void = () => {}
    rig = new Rig({
      slow: {
        fn: () =>
          new Promise((resolve) => {
            finish = resolve
          }),
      },
    })
    await rig.start()
    await rig.crumbs.create(requestFor('slow'), alice)
    await rig.clock.advance(200_000)
    expect(await rig.store.requests.claim('thief', 60_000)).toBeNull()
    finish('done')
    await rig.quiet()
    expect((await responses())[0]!.context).toMatchObject({ status: 'success', attempts: 1 })
  })

  it('go back at once when the engine stops while a tool runs', async () => {
    verifies('C64')
    rig = new Rig({
      slow: {
        fn: (_input, _session, call) =>
          new Promise((_, reject) => call.onAbort(() => reject(new ToolError('CANCELLED', 'stopped')))),
      },
    })
    const engines = await rig.start()
    await rig.crumbs.create(requestFor('slow'), alice)
    await rig.clock.advance(0)
    await engines.requests.stop(0)
    expect(await responses()).toEqual([])
    expect(await rig.store.requests.claim('next', 60_000)).toMatchObject({ attempts: 2 })
  })
})

describe('a node', () => {
  /** A store that stores responses only when it is told to. */
  function heldUp(): { release(): void } {
    const { requests } = rig.store
    const finish = requests.finish.bind(requests)
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    requests.finish = async (...args) => {
      await released
      return finish(...args)
    }
    return { release: () => release() }
  }

  it('takes the next request while the response of the last one is being stored, and no more than it can hold', async () => {
    let runs = 0
    rig = new Rig({ count: { fn: () => ++runs } })
    const store = heldUp()
    await rig.start({ concurrency: 2 })
    for (let n = 0; n < 8; n++) await rig.crumbs.create(requestFor('count', { n }), alice)
    while (runs < 4) await new Promise((resolve) => setImmediate(resolve))
    expect(rig.open.engines!.requests.load).toEqual({ running: 0, capacity: 2 })
    // A store that takes nothing must not fill the node: two places, two responses under way.
    for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
    expect(runs).toBe(4)
    store.release()
    await rig.quiet()
    expect(runs).toBe(8)
    expect(await responses()).toHaveLength(8)
  })

  it('never runs more tools at once than it has places', async () => {
    let now = 0
    let most = 0
    rig = new Rig({
      slow: {
        fn: async () => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => setTimeout(resolve, 5))
          now--
        },
      },
    })
    await rig.start({ concurrency: 3 })
    for (let n = 0; n < 20; n++) await rig.crumbs.create(requestFor('slow', { n }), alice)
    await rig.quiet()
    expect(most).toBe(3)
    expect(await responses()).toHaveLength(20)
  })
})
