// Real processes, killed with SIGKILL in the middle of their work.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { CrumbStore } from './store.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
let bundleDir: string
let dir: string
let nodes: Node[] = []

beforeAll(async () => {
  bundleDir = mkdtempSync(join(tmpdir(), 'crumbs-node-'))
  symlinkSync(here('../../node_modules'), join(bundleDir, 'node_modules'))
  await build({
    config: false,
    entry: { node: here('../../test/helpers/store/node-process.ts') },
    outDir: bundleDir,
    clean: false,
    dts: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  })
})
afterAll(() => rmSync(bundleDir, { recursive: true, force: true }))

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'crumbs-crash-'))
})
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.kill()))
  nodes = []
  rmSync(dir, { recursive: true, force: true })
})

/** One crib process. */
class Node {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #rest = ''
  #waiting: (() => void)[] = []

  constructor(mode: 'work' | 'slow' | 'hang' | 'idle') {
    this.#child = spawn(process.execPath, [join(bundleDir, 'node.mjs'), dir, mode], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve()))
    this.#child.stdout!.on('data', (chunk) => {
      const parts = (this.#rest + chunk).split('\n')
      this.#rest = parts.pop()!
      this.lines.push(...parts)
      for (const wake of this.#waiting.splice(0)) wake()
    })
    nodes.push(this)
  }

  send(line: string): void {
    this.#child.stdin!.write(`${line}\n`)
  }

  /** Resolves with the lines that match, once there are `count` of them. */
  async see(pattern: RegExp, count = 1): Promise<string[]> {
    for (;;) {
      const found = this.lines.filter((line) => pattern.test(line))
      if (found.length >= count) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

async function start(mode: 'work' | 'slow' | 'hang' | 'idle'): Promise<Node> {
  const node = new Node(mode)
  await node.see(/^ready$/)
  return node
}

/** Reads the store as it lies on disk. */
async function inStore<T>(read: (store: CrumbStore) => Promise<T>): Promise<T> {
  const store = openSqliteStore(join(dir, 'crib.db'))
  try {
    return await read(store)
  } finally {
    await store.close()
  }
}

const responses = () =>
  inStore(
    async (store) =>
      (await store.crumbs.list({ viewer: null, schema: 'tool.response.v1', limit: 1000 })).crumbs,
  )

/** Resolves when there are `count` responses. */
async function answered(count: number): Promise<void> {
  const store = openSqliteStore(join(dir, 'crib.db'))
  try {
    for (;;) {
      const rung = new Promise<void>((resolve) => store.events.onAppend(resolve))
      if (
        (await store.crumbs.list({ viewer: null, schema: 'tool.response.v1', limit: 1000 })).crumbs.length >=
        count
      )
        return
      await rung
    }
  } finally {
    await store.close()
  }
}

describe('a crib that is killed', () => {
  it('in the middle of a run runs it again at once after the restart, with the same request id and one response', async () => {
    verifies('C64', 'C-case-35')
    const first = await start('hang')
    first.send('request 1')
    const id = (await first.see(/^accepted/))[0]!.split(' ')[1]!
    expect(await first.see(/^run /)).toEqual([`run ${id} 1`])
    await first.kill()
    expect(await responses()).toEqual([])
    const second = await start('work')
    expect(await second.see(/^run /)).toEqual([`run ${id} 1`])
    await answered(1)
    expect(await responses()).toMatchObject([
      { context: { request_breadcrumb_id: id, status: 'success', attempts: 2 } },
    ])
  })

  it('before a run answers the accepted requests after the restart', async () => {
    verifies('C65', 'C-case-36')
    const first = await start('idle')
    for (let n = 0; n < 5; n++) first.send(`request ${n}`)
    const ids = (await first.see(/^accepted/, 5)).map((line) => line.split(' ')[1])
    await first.kill()
    await start('work')
    await answered(5)
    const answers = (await responses()).map(
      ({ context }) => (context as { request_breadcrumb_id: string }).request_breadcrumb_id,
    )
    expect(answers.sort()).toEqual(ids.sort())
  })

  it("between a write and its subscriber's run runs the subscriber after the restart", async () => {
    verifies('C72', 'C-case-42')
    const first = await start('hang')
    first.send('note one')
    first.send('note two')
    await first.see(/^stored/, 2)
    expect(await first.see(/^event/)).toEqual([expect.stringMatching(/^event sub-\d+-watch one$/)])
    await first.kill()
    const second = await start('work')
    const seen = await second.see(/^event/, 2)
    expect(seen.map((line) => line.split(' ')[2])).toEqual(['one', 'two'])
    expect(seen[0]).toBe(first.lines.find((line) => line.startsWith('event')))
  })

  it('while it writes loses nothing that it acknowledged', async () => {
    verifies('C62')
    const node = await start('idle')
    node.send('flood')
    await node.see(/^stored/, 300)
    await node.kill()
    const acknowledged = node.lines
      .filter((line) => line.startsWith('stored'))
      .map((line) => line.split(' ')[1]!)
    await inStore(async (store) => {
      for (const id of acknowledged) expect(await store.crumbs.get(id)).not.toBeNull()
    })
  })

  it('three times over a request that never ends gives up with one response', async () => {
    verifies('C64', 'C66')
    const first = await start('hang')
    first.send('request 1')
    await first.see(/^run /)
    await first.kill()
    for (let n = 0; n < 2; n++) {
      const next = await start('hang')
      await next.see(/^run /)
      await next.kill()
    }
    await start('hang')
    await answered(1)
    expect(await responses()).toMatchObject([{ context: { status: 'error', error_code: 'WORKER_LOST' } }])
  })

  it('again and again, on two nodes, leaves every request with exactly one response', async () => {
    verifies('C62', 'C64')
    const total = 60
    const feeder = await start('idle')
    for (let n = 0; n < total; n++) feeder.send(`request ${n}`)
    await feeder.see(/^accepted/, total)
    for (let round = 0; round < 3; round++) {
      const pair = await Promise.all([start('slow'), start('slow')])
      await Promise.race(pair.map((node) => node.see(/^run /, 5)))
      await Promise.all(pair.map((node) => node.kill()))
    }
    await Promise.all([start('work'), start('work')])
    await answered(total)
    const ids = (await responses()).map(
      ({ context }) => (context as { request_breadcrumb_id: string }).request_breadcrumb_id,
    )
    expect(ids).toHaveLength(total)
    expect(new Set(ids).size).toBe(total)
  })
})
