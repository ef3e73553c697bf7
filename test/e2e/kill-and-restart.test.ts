// A real server, killed with SIGKILL at random moments while clients write: after restarts every acknowledged
// breadcrumb is there and every acknowledged request has exactly one response.
import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import { type ServeProcess, serveProcess } from '../helpers/serve-process.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { verifies } from '../helpers/verifies.ts'

const kills = 4
const clients = 3

const job = toolDocument({
  name: 'job',
  code: {
    language: 'javascript',
    source:
      'export const execute = async ({ n }) => { await new Promise((r) => setTimeout(r, n % 40)); return { sum: n } }',
  },
  input_schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  examples: [],
})

const requestBody = (n: number) => ({
  title: `job ${n}`,
  schema_name: 'tool.request.v1',
  tags: ['tool:request', 'workspace:tools'],
  context: { tool: 'job', input: { n } },
})
const noteBody = (n: number) => ({ title: `note ${n}`, schema_name: 'note.v1', context: { n } })

it('loses nothing that was acknowledged, and answers every request once', { timeout: 240_000 }, async () => {
  verifies('C62', 'C64', 'C65', 'C-case-35', 'C-case-36')
  const root = tempFolder({ 'crumbs/job.json': JSON.stringify(job) })
  const requests: string[] = []
  const notes: string[] = []
  let n = 0

  /** Writes until the server is gone; only what was answered counts. */
  async function write(server: ServeProcess): Promise<void> {
    for (;;) {
      const own = n++
      const isRequest = own % 2 === 0
      try {
        const answer = await server.ask('POST', '/breadcrumbs', isRequest ? requestBody(own) : noteBody(own))
        if (answer.status !== 201) return
        ;(isRequest ? requests : notes).push(answer.body.id)
      } catch {
        return
      }
    }
  }

  for (let round = 0; round < kills; round++) {
    const server = await serveProcess(root)
    const before = requests.length
    const writing = Array.from({ length: clients }, () => write(server))
    const enough = before + randomInt(1, 25)
    await expect.poll(() => requests.length, { timeout: 60_000, interval: 1 }).toBeGreaterThanOrEqual(enough)
    await server.end('SIGKILL')
    await Promise.all(writing)
  }

  const server = await serveProcess(root)
  const responses = () => all(server, 'tool.response.v1')
  await expect
    .poll(async () => new Set((await responses()).map(requestOf)).size, { timeout: 120_000, interval: 200 })
    .toBeGreaterThanOrEqual(requests.length)
  // Requests that were stored but never acknowledged are answered too; wait until nothing is left to do.
  await expect
    .poll(async () => (await server.ask('GET', '/api/automation')).body.requests, { timeout: 120_000 })
    .toMatchObject({ waiting: 0, claimed: 0 })

  const answered = (await responses()).map(requestOf)
  expect(new Set(answered).size).toBe(answered.length)
  expect(requests.filter((id) => !answered.includes(id))).toEqual([])
  // A request the crib died under three times is given up, and says so; every other one was run.
  const failed = (await responses())
    .map(({ context }) => context)
    .filter(({ status }) => status !== 'success')
  expect(failed.filter(({ error_code, attempts }) => error_code !== 'WORKER_LOST' || attempts <= 3)).toEqual(
    [],
  )
  const stored = new Set((await all(server, 'note.v1')).map(({ id }) => id))
  expect(notes.filter((id) => !stored.has(id))).toEqual([])
  expect(requests.length).toBeGreaterThanOrEqual(kills)
  expect(await server.end('SIGTERM')).toBe(0)
})

interface Item {
  readonly id: string
  readonly context: {
    readonly request_breadcrumb_id: string
    readonly status: string
    readonly error_code?: string
    readonly attempts: number
  }
}

function requestOf({ context }: Item): string {
  return context.request_breadcrumb_id
}

/** Every breadcrumb of a schema, page by page. */
async function all(server: ServeProcess, schema: string): Promise<Item[]> {
  const items: Item[] = []
  for (;;) {
    const path = `/breadcrumbs?schema_name=${schema}&limit=1000&offset=${items.length}`
    const { body } = await server.ask('GET', path)
    items.push(...body)
    if (body.length < 1000) return items
  }
}

it('two servers on one crib share the work and answer every request once', { timeout: 120_000 }, async () => {
  verifies('C64')
  const root = tempFolder({ 'crumbs/job.json': JSON.stringify(job) })
  const [one, two] = await Promise.all([serveProcess(root), serveProcess(root)])
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      (n % 2 === 0 ? one : two)
        .ask('POST', '/breadcrumbs', requestBody(n))
        .then(({ body }) => body.id as string),
    ),
  )
  await expect
    .poll(async () => (await all(two, 'tool.response.v1')).length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(made.length)
  const answered = (await all(one, 'tool.response.v1')).map(requestOf)
  expect(answered.sort()).toEqual(made.sort())
  expect(await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')])).toEqual([0, 0])
})
