import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { defaultConfig } from '../../config/config.ts'
import { familyOf, processStat } from '../../sandbox/process-tree.ts'
import { openTestBed, type TestBed, toolOf } from './test-bed.ts'

let bed: TestBed
beforeAll(() => {
  bed = openTestBed()
})
afterAll(() => bed.close())

/** Deno processes below this test, by name. */
function denos(): number[] {
  return familyOf(process.pid).filter((pid) => processStat(pid)?.name.startsWith('deno'))
}

function ownFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`toolcrib-deno-${process.pid}-`))
}

const limits = (given: object) => ({
  limits: { memory_mb: 64, timeout_ms: 5_000, cpu_percent: 100, ...given },
})

describe('time', () => {
  it('a busy loop that ignores SIGTERM is stopped at its deadline and its process is gone', async () => {
    verifies('C40', 'C-case-19')
    const before = denos()
    const tool = toolOf(
      'export const execute = () => { Deno.addSignalListener("SIGTERM", () => {}); for (;;) {} }',
      limits({ timeout_ms: 300 }),
    )
    const { error } = await bed.run(tool)
    expect(error).toMatchObject({ code: 'TIMEOUT' })
    expect(denos().filter((pid) => !before.includes(pid))).toEqual([])
  })

  it('a promise that never settles is a timeout, not an early exit', async () => {
    verifies('C-case-19')
    const { error } = await bed.run(
      toolOf('export const execute = () => new Promise(() => {})', limits({ timeout_ms: 300 })),
    )
    expect(error).toMatchObject({ code: 'TIMEOUT' })
  })

  it('fires the signal, closes the api, and lets other calls of the process finish', async () => {
    verifies('C40', 'C55')
    const tool = toolOf(
      `let fired = false; let refused = null
      export async function execute(input, context) {
        if (input.look) { while (refused === null) await new Promise((r) => setTimeout(r, 10)); return { fired, refused } }
        context.signal.addEventListener('abort', async () => {
          fired = context.signal.aborted
          refused = await context.api.getBreadcrumb('x').then(() => 'served', (e) => e.code)
        })
        await new Promise(() => {})
      }`,
    )
    const [slow, other] = await Promise.all([
      bed.run(tool, {}, { timeoutMs: 300 }),
      bed.run(tool, { look: true }),
    ])
    expect(slow!.error).toMatchObject({ code: 'TIMEOUT' })
    expect(other!.value).toEqual({ fired: true, refused: 'CALL_OVER' })
  })

  it.each([
    ['listens', 'await new Promise((resolve) => { signal.onabort = resolve })'],
    ['does not listen', 'await new Promise(() => {})'],
    ['is busy', 'for (;;) {}'],
  ])('a cancelled call that %s ends as CANCELLED', async (_, body) => {
    const control = new AbortController()
    const source = `export async function execute(input, { signal, log }) {
      log.info('up')
      await new Promise((resolve) => setTimeout(resolve, 20))
      ${body}
    }`
    const before = denos()
    const { error } = await bed.run(
      toolOf(source, limits({ timeout_ms: 20_000 })),
      {},
      { signal: control.signal, onLog: () => setTimeout(() => control.abort(), 50) },
    )
    expect(error).toMatchObject({ code: 'CANCELLED' })
    // One that stopped by itself leaves a sound worker; the others took theirs with them.
    expect(denos().filter((pid) => !before.includes(pid)).length).toBe(body.includes('onabort') ? 1 : 0)
  })

  it('slow loading is LOAD_TIMEOUT', async () => {
    verifies('C41')
    const own = openTestBed({ deno: { ...defaultConfig.deno, loadTimeoutMs: 300 } })
    const { error } = await own.run(toolOf('for (;;) {}\nexport const execute = () => 1'))
    await own.close()
    expect(error).toMatchObject({ code: 'LOAD_TIMEOUT' })
  })
})

describe('memory', () => {
  it('a heap over the limit is MEMORY_LIMIT', async () => {
    verifies('C38')
    const tool = toolOf(
      'export const execute = () => { const all = []; for (;;) all.push(new Array(1000).fill({ a: all.length })) }',
      limits({ memory_mb: 32, timeout_ms: 20_000 }),
    )
    expect((await bed.run(tool)).error).toMatchObject({ code: 'MEMORY_LIMIT' })
  })

  it('buffers outside the heap are noticed by the size of the process', async () => {
    verifies('C38', 'C-case-20')
    const tool = toolOf(
      `export const execute = async () => {
        const all = []
        for (let i = 0; i < 40; i++) { all.push(new Uint8Array(10_000_000).fill(i + 1)); await new Promise((r) => setTimeout(r, 20)) }
        return all.length
      }`,
      limits({ timeout_ms: 20_000 }),
    )
    expect((await bed.run(tool)).error).toMatchObject({ code: 'MEMORY_LIMIT' })
  })

  it('so is a single block that is filled at once, also in a thread of its own', async () => {
    const source = `const work = 'const b = new Uint8Array(700_000_000); for (let i = 0; i < b.length; i += 4096) b[i] = 1; setTimeout(() => {}, 20000)'
    export const execute = () => new Promise(() => { new Worker('data:text/javascript,' + encodeURIComponent(work), { type: 'module' }) })`
    expect((await bed.run(toolOf(source, limits({ timeout_ms: 20_000 })))).error).toMatchObject({
      code: 'MEMORY_LIMIT',
    })
  })
})

describe('disk', () => {
  it('a tool that fills its caches without end is stopped, and nothing of them is left', async () => {
    verifies('C35')
    const source = `export const execute = async () => {
      const cache = await caches.open('x')
      const block = new Uint8Array(20_000_000)
      for (let n = 0; n < 60; n++) { await cache.put('http://x/' + n, new Response(block)); await new Promise((r) => setTimeout(r, 40)) }
      return 'through'
    }`
    const own = openTestBed()
    const before = ownFolders()
    const { error } = await own.run(
      toolOf(source, limits({ memory_mb: 256, timeout_ms: 30_000, cpu_percent: 200 })),
    )
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('caches') })
    await own.close()
    expect(ownFolders().filter((name) => !before.includes(name))).toEqual([])
  })
})

describe('on a machine without cgroups', () => {
  it('memory and processor are held by watching, and the label says so', async () => {
    verifies('C38', 'C39', 'C121')
    const own = openTestBed({}, 'preferred', { cgroup: { reason: 'none here' } })
    const { value, error, enforcement } = await own.run(toolOf('export const execute = () => "up"'))
    const bomb = toolOf(
      'export const execute = async () => { const all = []; for (;;) { all.push(new Uint8Array(5_000_000).fill(1)); await new Promise((r) => setTimeout(r, 10)) } }',
      { name: 'bomb', ...limits({ timeout_ms: 20_000 }) },
    )
    const bombed = await own.run(bomb)
    await own.close()
    expect(error ?? value).toBe('up')
    expect(enforcement?.dimensions).toMatchObject({
      memory: 'partial',
      cpu: 'partial',
      heap: 'enforced',
      time: 'enforced',
    })
    expect(bombed.error).toMatchObject({ code: 'MEMORY_LIMIT' })
  })
})

describe('processor', () => {
  it('keeps a busy tool under its share', async () => {
    verifies('C39')
    const tool = toolOf(
      `export const execute = () => {
        const start = performance.now(); const cpu = process.cpuUsage(); let n = 0
        while (performance.now() - start < 2500) n++
        const used = process.cpuUsage(cpu)
        return (used.user + used.system) / 1000 / (performance.now() - start)
      }
      import process from 'node:process'`,
      limits({ cpu_percent: 25, timeout_ms: 20_000 }),
    )
    const { value, enforcement } = await bed.run(tool)
    expect(value).toBeLessThan(0.5)
    expect(['partial', 'enforced']).toContain(enforcement?.dimensions['cpu'])
  })
})

describe('how many at once', () => {
  it('more calls than places wait in line; one that waits for another tool gives its place', async () => {
    verifies('C41')
    const own = openTestBed({ deno: { ...defaultConfig.deno, concurrentCalls: 1 } })
    const inner = toolOf('export const execute = () => "inner"', { name: 'inner' })
    const outer = toolOf('export const execute = (input, { api }) => api.callTool("inner", {})', {
      permissions: { tools: ['inner'] },
    })
    const { value, error } = await own.run(
      outer,
      {},
      {
        invoke: async () => ({
          ok: true,
          value: (await own.run(inner)).value,
          logs: [],
          ms: 0,
          runId: 'x',
          enforcement: { layers: [], dimensions: {} },
        }),
      },
    )
    const order: string[] = []
    const slow = toolOf(
      'export const execute = async (i) => { await new Promise((r) => setTimeout(r, 50)); return i.n }',
      { name: 'slow' },
    )
    await Promise.all(
      ['a', 'b', 'c'].map((n) => own.run(slow, { n }).then((result) => order.push(result.value as string))),
    )
    await own.close()
    expect(error ?? value).toBe('inner')
    expect(order).toEqual(['a', 'b', 'c'])
  })
})

describe('many questions at once', () => {
  it('leave the host its time and its memory', async () => {
    verifies('C40', 'C50')
    const own = openTestBed()
    const tool = toolOf(
      `export const execute = (input, { api }) => Promise.all(Array.from({ length: 150 }, () => api.getBreadcrumb('c1', { full: true }).then((crumb) => crumb.context.length))).then((all) => all.length)`,
      {
        permissions: { breadcrumbs: { read: ['a.v1'] } },
        ...limits({ memory_mb: 1_024, timeout_ms: 60_000, cpu_percent: 200 }),
      },
    )
    own.store.crumbs.set('c1', {
      id: 'c1',
      version: 1,
      schema_name: 'a.v1',
      context: 'x'.repeat(3_000_000),
      owner_id: 'local',
    })
    const before = process.memoryUsage.rss()
    let longest = 0
    let most = 0
    let last = performance.now()
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      most = Math.max(most, process.memoryUsage.rss() - before)
    }, 10)
    const { value, error } = await own.run(tool)
    clearInterval(watch)
    await own.close()
    expect(error ?? value).toBe(150)
    expect(longest).toBeLessThan(1_000)
    expect(most).toBeLessThan(300_000_000)
  })
})

describe('the life of a worker', () => {
  const counter = 'let n = 0\nexport const execute = () => ++n'

  it('is shared by calls and keeps module state, unless isolation is call', async () => {
    verifies('C31', 'C32', 'C-case-32')
    const warm = toolOf(counter, { name: 'warm' })
    expect([(await bed.run(warm)).value, (await bed.run(warm)).value]).toEqual([1, 2])
    const cold = toolOf(counter, { name: 'cold', isolation: 'call' })
    expect([(await bed.run(cold)).value, (await bed.run(cold)).value]).toEqual([1, 1])
  })

  it('of an isolated call is fresh and used once, also when it was started ahead', async () => {
    verifies('C31', 'C32')
    const own = openTestBed()
    const source = `export const execute = () => { globalThis.n = (globalThis.n ?? 0) + 1; return [Deno.pid, n, Deno.cwd()] }`
    const runs: [number, number, string][] = []
    for (let i = 0; i < 5; i++) {
      const { value } = await own.run(toolOf(`${source} // ${i}`, { name: `cold-${i}`, isolation: 'call' }))
      runs.push(value as [number, number, string])
      // The first two are started when they are asked for; then two wait, and no more.
      if (i > 0) await expect.poll(() => own.supervisor.running).toBe(2)
    }
    expect(runs.map(([, n]) => n)).toEqual([1, 1, 1, 1, 1])
    expect(new Set(runs.map(([, , cwd]) => cwd)).size).toBe(5)
    await own.close()
    expect(own.supervisor.running).toBe(0)
  })

  it('that was started ahead is not given to a call with other rights or limits', async () => {
    verifies('C31')
    const own = openTestBed()
    const plain = () => toolOf('export const execute = () => 1', { isolation: 'call' })
    for (let i = 0; i < 2; i++) await own.run(plain())
    await expect.poll(() => own.supervisor.running).toBe(2)
    const limits = { memory_mb: 65, timeout_ms: 1000, cpu_percent: 100 }
    await own.run(toolOf('export const execute = () => 1', { isolation: 'call', limits }))
    await expect.poll(() => own.supervisor.running).toBe(2)
    await own.close()
  })

  it('is never shared by two tools, versions, owners or sets of rights', async () => {
    verifies('C31')
    const own = openTestBed()
    const pid = 'import process from "node:process"\nlet n = 0\nexport const execute = () => ++n'
    const seen = [(await own.run(toolOf(pid))).value]
    seen.push((await own.run(toolOf(pid, { version: '1.0.1' }))).value)
    seen.push(
      (await own.run(toolOf(pid, { limits: { memory_mb: 65, timeout_ms: 1000, cpu_percent: 100 } }))).value,
    )
    seen.push((await own.run(toolOf(pid, { permissions: { breadcrumbs: { read: ['a.v1'] } } }))).value)
    own.store.owner = 'somebody-else'
    seen.push((await own.run(toolOf(pid, { permissions: { breadcrumbs: { read: ['a.v1'] } } }))).value)
    await own.close()
    expect(seen).toEqual([1, 1, 1, 1, 1])
  })

  it('ends after its number of calls and when it was idle, and leaves no storage behind', async () => {
    verifies('C32', 'C35', 'C-case-33')
    const own = openTestBed({ deno: { ...defaultConfig.deno, callsPerWorker: 2 } })
    const tool = toolOf(
      'export const execute = () => { const seen = localStorage.getItem("k"); localStorage.setItem("k", "v"); return seen }',
    )
    const seen = []
    for (let i = 0; i < 4; i++) seen.push((await own.run(tool)).value)
    await own.close()
    expect(seen).toEqual([null, 'v', null, 'v'])

    const idle = openTestBed({ deno: { ...defaultConfig.deno, idleMs: 50 } })
    await idle.run(toolOf(counter))
    await expect.poll(() => idle.supervisor.running, { timeout: 5_000 }).toBe(0)
    await idle.close()
  })

  it('its successor is there before it has served its last call', async () => {
    verifies('C32')
    const own = openTestBed({ deno: { ...defaultConfig.deno, callsPerWorker: 20 } })
    const tool = toolOf('let served = 0\nexport const execute = () => ++served')
    const seen = []
    for (let n = 1; n <= 19; n++) seen.push((await own.run(tool)).value)
    await expect.poll(() => own.supervisor.running).toBe(2)
    seen.push((await own.run(tool)).value)
    seen.push((await own.run(tool)).value)
    expect(seen).toEqual([...Array.from({ length: 20 }, (_, n) => n + 1), 1])
    await own.close()
  })

  it('a blocked one gets no new call; a second one is started', async () => {
    verifies('C32')
    const tool = toolOf(
      `export const execute = (input) => { const until = Date.now() + (input.block ?? 0); while (Date.now() < until); return 'done' }`,
    )
    expect((await bed.run(tool)).value).toBe('done')
    const blocked = bed.run(tool, { block: 3_000 })
    await new Promise((resolve) => setTimeout(resolve, 700))
    let isBlockedOver = false
    void blocked.then(() => {
      isBlockedOver = true
    })
    expect((await bed.run(tool)).value).toBe('done')
    expect(isBlockedOver).toBe(false)
    expect((await blocked).value).toBe('done')
  })

  it('one that spins after its call gets no new call and is ended', async () => {
    verifies('C32')
    const own = openTestBed()
    const spin = `setTimeout(() => { const until = Date.now() + input.spin; while (Date.now() < until); }, 0)`
    const tool = toolOf(
      `let n = 0\nexport const execute = (input) => { if (input.spin) ${spin}; return ++n }`,
    )
    expect((await own.run(tool, { spin: 60_000 })).value).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect((await own.run(tool)).value).toBe(1)
    await expect.poll(() => own.supervisor.running, { timeout: 10_000 }).toBe(1)
    expect((await own.run(tool)).value).toBe(2)
    await own.close()
  })

  it('nothing is left when the runtime closes', async () => {
    verifies('C35')
    const own = openTestBed()
    await Promise.all([own.run(toolOf(counter)), own.run(toolOf(counter, { name: 'other' }))])
    const stuck = own.run(toolOf('export const execute = () => new Promise(() => {})', { name: 'stuck' }))
    await expect.poll(() => own.supervisor.running).toBe(3)
    await own.close()
    expect((await stuck).error).toBeDefined()
    expect(own.supervisor.running).toBe(0)
    expect(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`toolcrib-deno-${process.pid}-`)).length,
    ).toBeLessThanOrEqual(bed.supervisor.running)
  })
})
