// Calls that outlive their connection, as clients of both eras meet them.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'
import { sha256 } from '../../tool/json.ts'
import { serveCrib } from '../http/serve-crib.ts'
import { askModern, type ModernOptions } from './fixtures/modern-client.ts'
import { olderHttp } from './fixtures/older-http.ts'
import { rawClient } from './fixtures/raw-client.ts'

const asking = fileURLToPath(new URL('../../runtimes/mcp/fixtures/asking-server.mjs', import.meta.url))
const schema = { type: 'object', properties: { name: { type: 'string' } } }
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: schema } }
const ada = { action: 'accept', content: { name: 'Ada' } }
const knowsTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { form: {} } }
const other = 'b'.repeat(32)

interface World {
  readonly crib: Crib
  readonly url: string
  readonly token: string
  close(graceMs?: number): Promise<void>
}

/** A served crib; `slow` ends with what it is given to wait for. */
async function world(slow: () => unknown, root = tempFolder()): Promise<World> {
  copyFileSync(asking, join(root, 'asking-server.mjs'))
  const config = {
    mcp: { servers: { q: { command: 'node', args: ['asking-server.mjs'] } } },
    tools: { slow: { task: true }, 'q-ask': { task: true }, boom: { task: true } },
    approve: ['careful'],
    serve: { tokens: [{ name: 'other', token: `sha256:${sha256(other)}` }] },
  }
  const crib = await openCrib({ root, env: { HOME: root }, config })
  crib.addTool({ id: 'slow', params: { type: 'object' }, fn: slow })
  crib.addTool({ id: 'careful', params: { type: 'object' }, fn: () => 'done with care' })
  crib.addTool({ id: 'boom', params: { type: 'object' }, fn: () => Promise.reject(new Error('broken')) })
  await crib.discover()
  const served = await serveCrib(crib, { port: 0, watch: false })
  let closing: Promise<void> | undefined
  const close = (graceMs?: number) => {
    closing ??= served.close(graceMs).then(() => crib.close())
    return closing
  }
  onTestFinished(() => close(0))
  return { crib, url: served.url, token: served.token!, close }
}

const never = () => new Promise(() => {})

function modern(at: World) {
  return (method: string, params: object, options: ModernOptions = {}) =>
    askModern(at, method, params as { [name: string]: unknown }, { capabilities: knowsTasks, ...options })
}

describe('a client of 2026-07-28 that knows tasks', () => {
  it('gets a handle at once for a tool that takes long, and its result when it is there', async () => {
    verifies('U7')
    let end!: (value: unknown) => void
    const ended = new Promise((resolve) => {
      end = resolve
    })
    const ask = modern(await world(() => ended))
    const { result: handle } = await ask('tools/call', { name: 'slow', arguments: {} })
    expect(handle).toMatchObject({
      resultType: 'task',
      status: 'working',
      taskId: expect.any(String),
      ttlMs: expect.any(Number),
    })
    const { taskId } = handle
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' })
    end({ answer: 42 })
    await vi.waitFor(async () =>
      expect((await ask('tasks/get', { taskId })).result).toMatchObject({
        status: 'completed',
        result: { structuredContent: { answer: 42 }, content: [{ type: 'text', text: '{"answer":42}' }] },
      }),
    )
  })

  it('is asked what the call asks, and gets a failure as a result', async () => {
    verifies('U7')
    const ask = modern(await world(never))
    const asked = await ask('tools/call', { name: 'q-ask', arguments: { steps: [[form]] } })
    const { taskId } = asked.result
    const question = await vi.waitFor(async () => {
      const { result } = await ask('tasks/get', { taskId })
      expect(result.status).toBe('input_required')
      return result
    })
    const [key] = Object.keys(question.inputRequests)
    expect(question.inputRequests[key!]).toEqual(form)
    await ask('tasks/update', { taskId, inputResponses: { [key!]: ada } })
    await vi.waitFor(async () =>
      expect(JSON.stringify((await ask('tasks/get', { taskId })).result.result)).toContain('Ada'),
    )
    const failed = await ask('tools/call', { name: 'boom', arguments: {} })
    await vi.waitFor(async () =>
      expect((await ask('tasks/get', { taskId: failed.result.taskId })).result).toMatchObject({
        status: 'completed',
        result: { isError: true, content: [{ text: expect.stringContaining('broken') }] },
      }),
    )
  })

  it('stops it, and nobody else sees or stops it', async () => {
    verifies('U7')
    const at = await world(never)
    const ask = modern(at)
    const { taskId } = (await ask('tools/call', { name: 'slow', arguments: {} })).result
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await ask(method, { taskId }, { token: other })).error).toMatchObject({ code: -32602 })
    await vi.waitFor(() => expect(at.crib.kernel.running.map(({ id }) => id)).toContain(taskId))
    expect((await ask('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' })
    expect((await ask('tasks/get', { taskId })).result.status).toBe('cancelled')
    await vi.waitFor(() => expect([...at.crib.kernel.running]).toEqual([]))
    expect((await ask('tasks/get', { taskId: 'none' })).error).toMatchObject({ code: -32602 })
  })

  it('finds it again after a restart', async () => {
    verifies('U7')
    const root = tempFolder()
    const before = await world(never, root)
    const { taskId } = (await modern(before)('tools/call', { name: 'slow', arguments: {} })).result
    await vi.waitFor(() => expect(before.crib.kernel.running.length).toBe(1))
    await before.close()
    const ask = modern(await world(() => 'went on', root))
    await vi.waitFor(
      async () =>
        expect((await ask('tasks/get', { taskId })).result).toMatchObject({
          status: 'completed',
          result: { content: [{ text: 'went on' }] },
        }),
      { timeout: 30_000, interval: 100 },
    )
  }, 60_000)
})

it('gives a client that knows no tasks the result itself', async () => {
  verifies('U7')
  const ask = modern(await world(() => 'at once'))
  const { result } = await ask('tools/call', { name: 'slow', arguments: {} }, { capabilities: {} })
  expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'at once' }] })
})

describe('a client of 2025-11-25', () => {
  it('asks for a task, waits for its result, is asked meanwhile, and lists its tasks', async () => {
    verifies('U7')
    const at = await world(never)
    const ask = await olderHttp(at, {
      capabilities: { elicitation: {} },
      onRequest: (_method, params) => ({ ...ada, content: { name: `Ada, asked ${params.message}` } }),
    })
    const { tools } = (await ask('tools/list')).result
    expect(tools.find(({ name }: { name: string }) => name === 'slow').execution).toEqual({
      taskSupport: 'optional',
    })
    const started = await ask('tools/call', { name: 'q-ask', arguments: { steps: [[form]] }, task: {} })
    const { taskId } = started.result.task
    expect(started.result.task).toMatchObject({ status: 'working', ttl: expect.any(Number) })
    const { result } = await ask('tasks/result', { taskId })
    expect(result.content[0].text).toContain('Ada, asked Who?')
    expect(result._meta['io.modelcontextprotocol/related-task']).toEqual({ taskId })
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
    const listed = (await ask('tasks/list')).result.tasks
    expect(listed).toMatchObject([{ taskId, status: 'completed' }])
    expect((await ask('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 })
    const theirs = await olderHttp({ ...at, token: other })
    expect((await theirs('tasks/list')).result.tasks).toEqual([])
  })

  it('stops a task, and has one wait for a person', async () => {
    verifies('U7')
    const at = await world(never)
    const ask = await olderHttp(at)
    const task = async (name: string) =>
      (await ask('tools/call', { name, arguments: {}, task: {} })).result.task.taskId
    const slow = await task('slow')
    expect((await ask('tasks/cancel', { taskId: slow })).result).toMatchObject({ status: 'cancelled' })
    expect((await ask('tasks/result', { taskId: slow })).error).toMatchObject({ code: -32000 })
    const careful = await task('careful')
    const [question] = await vi.waitFor(async () => {
      expect(at.crib.approvals.pending).toHaveLength(1)
      return at.crib.approvals.pending
    })
    expect((await ask('tasks/get', { taskId: careful })).result.statusMessage).toContain('approve')
    at.crib.approvals.decide(question!.id, { decision: 'approve', by: 'test' })
    expect((await ask('tasks/result', { taskId: careful })).result.content[0].text).toBe('done with care')
  })
})

it('gives what a foreign server said in blocks as it came', async () => {
  verifies('U7', 'U2')
  const at = await world(never)
  const ask = await olderHttp(at)
  const { taskId } = (await ask('tools/call', { name: 'q-blocks', arguments: {}, task: {} })).result.task
  const { result } = await ask('tasks/result', { taskId })
  expect(result.content).toEqual([
    { type: 'text', text: 'one', annotations: { priority: 1 } },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ])
  expect(result).toMatchObject({ structuredContent: { n: 1 }, _meta: { 'vendor/x': 1 } })
})

describe('over stdio, where only requests of this client are run', () => {
  async function stdioCrib(slow: () => unknown, root = tempFolder()): Promise<Crib> {
    copyFileSync(asking, join(root, 'asking-server.mjs'))
    const config = {
      mcp: { servers: { q: { command: 'node', args: ['asking-server.mjs'] } } },
      tools: { slow: { task: true }, 'q-ask': { task: true } },
    }
    const crib = await openCrib({ root, env: { HOME: root }, config })
    onTestFinished(() => crib.close())
    crib.addTool({ id: 'slow', params: { type: 'object' }, fn: slow })
    await crib.discover()
    return crib
  }

  it('a client of 2025-11-25 asks for a task, is asked meanwhile, lists and stops it', async () => {
    verifies('U7')
    const crib = await stdioCrib(never)
    const other = await crib.crumbs.create({
      title: 'Not of this client',
      schema_name: 'tool.request.v1',
      tags: ['tool:request', 'workspace:tools'],
      context: { tool: 'slow', input: {} },
    })
    const { ask, server } = await rawClient(crib, { capabilities: { elicitation: {} }, onRequest: () => ada })
    expect(server['capabilities']).toMatchObject({ tasks: { list: {}, cancel: {} } })
    const begin = async (name: string, args: object): Promise<string> => {
      const { result } = await ask('tools/call', { name, arguments: args, task: {} })
      return (result!['task'] as { taskId: string }).taskId
    }
    const asked = await begin('q-ask', { steps: [[form]] })
    expect(JSON.stringify((await ask('tasks/result', { taskId: asked })).result)).toContain('Ada')
    const slow = await begin('slow', {})
    expect((await ask('tasks/get', { taskId: slow })).result).toMatchObject({ status: 'working' })
    expect((await ask('tasks/cancel', { taskId: slow })).result).toMatchObject({ status: 'cancelled' })
    const { result } = await ask('tasks/list')
    expect(result!['tasks']).toMatchObject([{ taskId: slow }, { taskId: asked, status: 'completed' }])
    const { store } = await crib.crumbs.open()
    expect(await store.requests.responseTo(other.id)).toBeNull()
    expect(await store.requests.counts()).toMatchObject({ waiting: 1 })
  })

  it('a client of 2026-07-28 finds its task again in the next process', async () => {
    verifies('U7')
    const root = tempFolder()
    const before = await stdioCrib(never, root)
    const first = await rawClient(before, { isModern: true, capabilities: knowsTasks })
    expect(first.server['capabilities']).toMatchObject({ extensions: knowsTasks.extensions })
    const { result: handle } = await first.ask('tools/call', { name: 'slow', arguments: {} })
    expect(handle).toMatchObject({ resultType: 'task', status: 'working' })
    await vi.waitFor(() => expect(before.kernel.running.length).toBe(1))
    await before.close()
    const crib = await stdioCrib(() => 'went on', root)
    const { ask } = await rawClient(crib, { isModern: true, capabilities: knowsTasks })
    await vi.waitFor(
      async () =>
        expect((await ask('tasks/get', { taskId: handle!['taskId'] })).result).toMatchObject({
          status: 'completed',
          result: { content: [{ text: 'went on' }] },
        }),
      { timeout: 30_000, interval: 100 },
    )
  }, 60_000)
})
