// The skills of examples/ that show middleware, a delegate, a main and an agent with a structured result.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { tempFolder } from '../helpers/temp-folder.ts'
import { modelServer } from './skills/model-server.ts'

const examples = fileURLToPath(new URL('../../examples', import.meta.url))

async function exampleCrib(config: { [key: string]: unknown } = {}): Promise<Crib> {
  const root = tempFolder()
  cpSync(examples, root, { recursive: true, filter: (file) => !file.endsWith('.toolcrib') })
  const crib = await openCrib({ root, env: { ...process.env, HOME: join(root, 'home') }, config })
  onTestFinished(() => crib.close())
  return crib
}

it('are free of problems', async () => {
  const crib = await exampleCrib()
  const { problems } = await crib.check({
    paths: [join(crib.root, 'skills'), join(crib.root, 'main.skill.md')],
  })
  expect(problems).toEqual([])
  expect(crib.main().id).toBe('helper')
})

it('day-of answers through its delegate; the second answer comes from the cache', async () => {
  const crib = await exampleCrib()
  const params = { date: '2026-03-01', from: '2026-02-27' }
  const first = await crib.call('day-of', params)
  expect(first).toMatchObject({ ok: true, value: { weekday: 'Sunday', week: 9, days: 2 } })
  const second = await crib.call('day-of', params)
  expect(second.ok && first.ok && second.value === first.value).toBe(true)
  const cache = crib.globals.cache as { results: Map<string, object> }
  expect(cache.results.size).toBe(1)
})

it('timing notes a call that takes longer than it may', async () => {
  const crib = await exampleCrib()
  crib.addTool({
    name: 'slow',
    frontmatter: { metadata: { params: { type: 'object' }, timing: { slowMs: 5 } } },
    fn: () => new Promise((done) => setTimeout(done, 50, 'done')),
  })
  const outcome = await crib.call('slow')
  expect(outcome).toMatchObject({ ok: true, value: 'done' })
  expect(outcome.logs.map((line) => line.message)).toContainEqual(
    expect.stringMatching(/^slow took \d+ ms, more than 5$/),
  )
})

it('triage-note reads a note with its tools and gives the tasks as data', async () => {
  const result = { summary: 'Things to buy.', tasks: [{ what: 'Buy milk' }] }
  const model = await modelServer([
    { calls: [{ name: 'notes_read', args: { name: 'shopping.md' } }] },
    { calls: [{ name: 'return_result', args: { ...result, more: 1 } }] },
    { calls: [{ name: 'return_result', args: result }] },
  ])
  const crib = await exampleCrib({ models: model.models() })
  const outcome = await crib.call('triage-note', { note: 'shopping.md', today: '2026-03-01' })
  expect(outcome).toMatchObject({ ok: true, value: result, meta: { turns: 3 } })
  const [first, second] = model.asked
  expect(first!.tools).toEqual(['day-of', 'notes_list', 'notes_read', 'return_result'])
  expect(first!.system).toContain('Read the note shopping.md with')
  expect(second!.messages.at(-1)!.text).toMatch(/milk/i)
})
