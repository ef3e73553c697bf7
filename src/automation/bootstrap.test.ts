import { afterEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../test/helpers/store/manual-clock.ts'
import { Rig, type RigFunction, type RigTool } from '../../test/helpers/store/rig.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { noBootstrap } from '../formats/tool-code/check-behaviour.ts'
import { wait } from '../store/clock.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { BootstrapReport } from './bootstrap.ts'

let rig: Rig
afterEach(() => rig.close())

function starter(block: object, fn: RigFunction = () => 'ok'): RigTool {
  return { fn, details: { bootstrap: { ...noBootstrap, enabled: true, ...block } } }
}

const forever: RigFunction = (_input, _session, call) =>
  new Promise((_, reject) => call.onAbort(() => reject(new ToolError('CANCELLED', 'stopped'))))

/** Starts the crib and lets the start-up run through. */
async function boot(): Promise<BootstrapReport> {
  const engines = await rig.start({ bootstrap: true })
  await rig.clock.advance(1_000)
  await engines.bootstrapped
  return engines.bootstrap!.report!
}

const summary = (report: BootstrapReport) =>
  Object.fromEntries(report.tools.map(({ name, status }) => [name, status]))

describe('the order', () => {
  it('counts the time of a continuous tool from where it runs, however long its code takes to load', async () => {
    verifies('C82')
    const load = () => wait(rig.clock, 500)
    rig = new Rig({
      thrower: {
        ...starter({ mode: 'continuous', priority: 90 }, () => {
          throw new Error('boom')
        }),
        load,
      },
      after_thrower: starter({ mode: 'once', wait_for: ['thrower'] }),
      living: { ...starter({ mode: 'continuous', priority: 80 }, forever), load },
      after_living: starter({ mode: 'once', wait_for: ['living'] }),
    })
    const engines = await rig.start({ bootstrap: true })
    // The first restart of the thrower is still to come when all this has happened.
    for (let n = 0; n < 14; n++) await rig.clock.advance(100)
    await engines.bootstrapped
    expect(summary(engines.bootstrap!.report!)).toEqual({
      thrower: 'failed',
      after_thrower: 'skipped',
      living: 'started',
      after_living: 'succeeded',
    })
  })

  it('of the four blocks of the document: scheduler, health monitor, sync; the calculator is not started', async () => {
    verifies('C80', 'C81', 'C82', 'C83', 'C-case-43')
    const seen: { name: string; event: unknown; id: string; agent: string }[] = []
    const noting =
      (name: string, then: RigFunction): RigFunction =>
      (input, session, call) => {
        seen.push({
          name,
          event: session.request.trigger_event,
          id: session.request.id,
          agent: session.request.agentId,
        })
        return then(input, session, call)
      }
    rig = new Rig({
      openrouter_models_sync: starter(
        { mode: 'once', priority: 50, input: { force_refresh: false } },
        noting('sync', (input) => input),
      ),
      scheduler: starter({ mode: 'continuous', priority: 100 }, noting('scheduler', forever)),
      health_monitor: starter(
        { mode: 'continuous', priority: 75, wait_for: ['scheduler'] },
        noting('health', forever),
      ),
      calculator: { fn: () => seen.push({ name: 'calculator', event: null, id: '', agent: '' }) },
    })
    const report = await boot()
    expect(report.order).toEqual(['scheduler', 'health_monitor', 'openrouter_models_sync'])
    expect(summary(report)).toEqual({
      scheduler: 'started',
      health_monitor: 'started',
      openrouter_models_sync: 'succeeded',
    })
    expect(seen.map(({ name }) => name)).toEqual(['scheduler', 'health', 'sync'])
    expect(seen[0]!.event).toEqual({
      schema_name: 'system.startup.v1',
      timestamp: '2025-06-01T12:00:00.000Z',
      mode: 'continuous',
    })
    expect(seen[2]!.event).toMatchObject({ schema_name: 'system.startup.v1' })
    expect(seen[2]!.event).not.toHaveProperty('mode')
    expect(seen[0]!.id).toMatch(/^continuous-scheduler-\d+$/)
    expect(seen[2]!.id).toMatch(/^bootstrap-openrouter_models_sync-\d+$/)
    expect(seen[0]!.agent).toBe('bootstrap')
  })

  it('puts a dependency first even when its priority is lower, then priority, then name', async () => {
    verifies('C81', 'C-case-44')
    const order: string[] = []
    const noting = (name: string) => () => order.push(name)
    rig = new Rig({
      high: starter({ mode: 'once', priority: 90, wait_for: ['low'] }, noting('high')),
      low: starter({ mode: 'once', priority: 1 }, noting('low')),
      b: starter({ mode: 'once', priority: 50 }, noting('b')),
      a: starter({ mode: 'once', priority: 50 }, noting('a')),
    })
    await boot()
    expect(order).toEqual(['a', 'b', 'low', 'high'])
  })

  it.each([
    [
      'failed',
      {
        dep: starter({ mode: 'once' }, () => {
          throw new Error('boom')
        }),
      },
      'dep failed',
    ],
    ['missing', {}, 'there is no tool dep'],
    ['idle', { dep: { fn: () => 1 } }, 'dep is not started by bootstrap'],
  ])(
    'skips a tool whose dependency is %s and names it, and what waits for that one too',
    async (_, more, reason) => {
      verifies('C82', 'C-case-45')
      let runs = 0
      rig = new Rig({
        ...more,
        needy: starter({ mode: 'once', wait_for: ['dep'] }, () => ++runs),
        needier: starter({ mode: 'once', wait_for: ['needy'] }, () => ++runs),
      })
      const report = await boot()
      expect(runs).toBe(0)
      expect(report.tools.find(({ name }) => name === 'needy')).toMatchObject({ status: 'skipped', reason })
      expect(report.tools.find(({ name }) => name === 'needier')).toMatchObject({
        status: 'skipped',
        reason: 'needy was skipped',
      })
    },
  )

  it('starts no member of a circle, skips who waits for one, and runs the others', async () => {
    verifies('C82', 'C-case-46')
    const ran: string[] = []
    const noting = (name: string) => () => ran.push(name)
    rig = new Rig({
      a: starter({ mode: 'once', wait_for: ['b'] }, noting('a')),
      b: starter({ mode: 'once', wait_for: ['a'] }, noting('b')),
      self: starter({ mode: 'once', wait_for: ['self'] }, noting('self')),
      outside: starter({ mode: 'once', wait_for: ['a'] }, noting('outside')),
      c: starter({ mode: 'once' }, noting('c')),
    })
    const report = await boot()
    expect(report.cycles).toEqual([['a', 'b'], ['self']])
    expect(ran).toEqual(['c'])
    expect(summary(report)).toEqual({
      a: 'skipped',
      b: 'skipped',
      self: 'skipped',
      outside: 'skipped',
      c: 'succeeded',
    })
  })

  it('goes on past a continuous tool that fails at once', async () => {
    verifies('C81', 'C82')
    rig = new Rig({
      broken: starter({ mode: 'continuous', priority: 90 }, () => {
        throw new Error('no')
      }),
      needy: starter({ mode: 'once', wait_for: ['broken'] }),
      other: starter({ mode: 'once' }),
    })
    const report = await boot()
    expect(summary(report)).toMatchObject({ needy: 'skipped', other: 'succeeded' })
  })
})

describe('a continuous tool', () => {
  it('that throws is started again after 1, 2 and 4 seconds', async () => {
    verifies('C84', 'C-case-47')
    const starts: number[] = []
    rig = new Rig({
      flaky: starter({ mode: 'continuous' }, () => {
        starts.push(rig.clock.now())
        throw new Error('again')
      }),
    })
    const begin = rig.clock.now()
    await rig.start({ bootstrap: true })
    await rig.clock.advance(10_000)
    expect(starts.map((at) => (at - begin) / 1000)).toEqual([0, 1, 3, 7])
    await rig.clock.advance(600_000)
    const gaps = starts.slice(1).map((at, index) => (at - starts[index]!) / 1000)
    expect(Math.max(...gaps)).toBe(60)
  })

  it('waits 1 second again after five minutes of health', async () => {
    verifies('C84')
    const starts: number[] = []
    rig = new Rig({
      steady: starter({ mode: 'continuous' }, (_input, _session, call) => {
        starts.push(rig.clock.now())
        if (starts.length < 3) throw new Error('early')
        return new Promise((_, reject) => {
          rig.clock.after(300_000, () => reject(new Error('late')))
          call.onAbort(() => reject(new ToolError('CANCELLED', 'stopped')))
        })
      }),
    })
    await rig.start({ bootstrap: true })
    await rig.clock.advance(310_000)
    expect((starts[3]! - starts[2]!) / 1000).toBe(301)
  })

  it('is called as a service, so no time limit ends it', async () => {
    verifies('C84', 'C-case-47')
    let isService: unknown
    rig = new Rig({
      long: starter({ mode: 'continuous' }, (input, session, call) => {
        isService = call.options.isService
        return forever(input, session, call)
      }),
    })
    const report = await boot()
    expect(isService).toBe(true)
    await rig.clock.advance(3_600_000)
    expect(report.tools[0]).toMatchObject({ status: 'started', restarts: 0 })
  })

  it('that returns is completed and not started again', async () => {
    verifies('C84')
    let runs = 0
    rig = new Rig({ done: starter({ mode: 'continuous' }, () => ++runs) })
    const report = await boot()
    await rig.clock.advance(120_000)
    expect(runs).toBe(1)
    expect(report.tools[0]).toMatchObject({ status: 'completed' })
  })

  it('with wrong input has failed and is not tried again', async () => {
    verifies('C83')
    let runs = 0
    rig = new Rig({
      picky: starter({ mode: 'continuous' }, () => {
        runs++
        throw new ToolError('PARAMS_INVALID', '/x is required')
      }),
    })
    const report = await boot()
    await rig.clock.advance(120_000)
    expect(runs).toBe(1)
    expect(report.tools[0]).toMatchObject({ status: 'failed', code: 'PARAMS_INVALID' })
  })

  it('runs on one node only and is taken over when that node is gone', async () => {
    verifies('C80')
    const where: string[] = []
    const tools = (node: string) => ({
      svc: starter({ mode: 'continuous' }, (input, session, call) => {
        where.push(node)
        return forever(input, session, call)
      }),
    })
    const clock = manualClock('2025-06-01T12:00:00Z')
    rig = new Rig(tools('one'), { clock })
    const second = new Rig(tools('two'), { clock, dir: rig.dir })
    await rig.start({ bootstrap: true })
    await clock.advance(1_000)
    await second.start({ bootstrap: true })
    await clock.advance(120_000)
    expect(where).toEqual(['one'])
    await rig.close({ keep: true })
    await clock.advance(30_000)
    expect(where).toEqual(['one', 'two'])
    rig = second
  })
})

it('the report is a crumb that follows the services', async () => {
  verifies('C85')
  let fail: (error: Error) => void = () => {}
  rig = new Rig({
    svc: starter(
      { mode: 'continuous', priority: 60 },
      (_input, _session, call) =>
        new Promise((_, reject) => {
          fail = reject
          call.onAbort(() => reject(new ToolError('CANCELLED', 'stopped')))
        }),
    ),
    job: starter({ mode: 'once' }),
  })
  await boot()
  const report = async () =>
    (await rig.all('system.bootstrap.v1')).map(({ tags, context }) => ({ tags, context }))
  expect(await report()).toMatchObject([
    {
      tags: ['system:bootstrap'],
      context: {
        kind: 'startup-report',
        started_at: '2025-06-01T12:00:00.000Z',
        order: ['svc', 'job'],
        cycles: [],
        tools: [
          {
            name: 'svc',
            version: '1.0.0',
            mode: 'continuous',
            priority: 60,
            wait_for: [],
            status: 'started',
            restarts: 0,
          },
          { name: 'job', mode: 'once', status: 'succeeded' },
        ],
      },
    },
  ])
  fail(new Error('fell over'))
  await rig.clock.advance(0)
  expect(await report()).toMatchObject([
    { context: { tools: [{ status: 'failed', code: 'TOOL_FAILED', reason: 'fell over' }, {}] } },
  ])
  await rig.clock.advance(1_300)
  expect(await report()).toMatchObject([{ context: { tools: [{ status: 'started', restarts: 1 }, {}] } }])
  const [{ context }] = (await report()) as unknown as [{ context: BootstrapReport }]
  expect(context.tools[0]).not.toHaveProperty('code')
  expect(context.tools[0]).not.toHaveProperty('reason')
})
