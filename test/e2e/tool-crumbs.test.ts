// Tools as breadcrumbs: seeded from files at every start, made and changed through the API while the crib runs.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Crib, openCrib } from '../../src/crib/open-crib.ts'
import { toolDocument } from '../../src/formats/tool-code/fixture.ts'
import type { CrumbItem } from '../../src/store/crumb.ts'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { makePrincipal } from '../../src/tool/principal.ts'
import { type Problem, sortProblems } from '../../src/tool/problem.ts'
import { postgresMissing, startPostgres } from '../helpers/servers/postgres.mjs'
import { tempFolder } from '../helpers/temp-folder.ts'
import { toolcrib } from '../helpers/toolcrib.ts'
import { verifies } from '../helpers/verifies.ts'

const answering = (sum: number, version = '1.0.0', more: object = {}) =>
  toolDocument({
    code: { language: 'typescript', source: `export const execute = () => ({ sum: ${sum} })` },
    version,
    ...more,
  })

function write(root: string, path: string, content: unknown): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

/** One start of the crib: seeds, then `work`, then the end. */
async function during<T>(root: string, work: (crib: Crib) => Promise<T>): Promise<T> {
  const crib = await openCrib({ root, cache: false, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
  try {
    await crib.startEngines({ bootstrap: false, schedules: 'off' })
    return await work(crib)
  } finally {
    await crib.close()
  }
}

const toolCrumbs = async (crib: Crib): Promise<CrumbItem[]> =>
  (await crib.crumbs.list({ schema: 'tool.code.v1' })).items
const problemCodes = (crib: Crib) => crib.problems.map(({ code }) => code)
const sumOf = async (crib: Crib) => {
  const outcome = await crib.call('adder', { a: 1 })
  return outcome.ok ? (outcome.value as { sum: number }).sum : outcome.error.code
}

describe('seeding', () => {
  it('updates on a higher version or changed content, keeps on a lower one, writes nothing when equal', async () => {
    verifies('C3')
    const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(answering(1)) })
    const [{ id }] = (await during(root, toolCrumbs)) as [CrumbItem]
    const versionAfter = (content: object) => {
      write(root, 'crumbs/adder.json', content)
      return during(root, async (crib) => {
        const crumbs = await toolCrumbs(crib)
        expect(crumbs.map((crumb) => crumb.id)).toEqual([id])
        return [crumbs[0]!.version, await sumOf(crib), problemCodes(crib).includes('tc-older')]
      })
    }
    expect(await versionAfter(answering(1))).toEqual([1, 1, false])
    expect(await versionAfter(answering(2))).toEqual([2, 2, false])
    expect(await versionAfter(answering(3, '1.10.0'))).toEqual([3, 3, false])
    expect(await versionAfter(answering(4, '1.9.0'))).toEqual([3, 3, true])
    expect(await versionAfter(answering(3, '1.10.0'))).toEqual([3, 3, false])
    // Same version and different content: the file is taken.
    expect(await versionAfter(answering(5, '1.10.0'))).toEqual([4, 5, false])
  })

  it('sends no event for a file that did not change', async () => {
    verifies('C3')
    const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(answering(1)) })
    const eventsOf = (crib: Crib) =>
      crib.crumbs
        .store()
        .then((store) => store.events.after({ after: 0, limit: 100, schemas: ['tool.code.v1'] }))
    expect(await during(root, eventsOf)).toHaveLength(1)
    expect(await during(root, eventsOf)).toHaveLength(1)
  })

  it('deletes the tool of a file that has gone, unless it was edited since', async () => {
    verifies('C5')
    const root = tempFolder({
      'crumbs/adder.json': JSON.stringify(answering(1)),
      'crumbs/kept.json': JSON.stringify(answering(2, '1.0.0', { name: 'kept' })),
    })
    await during(root, async (crib) => {
      const kept = (await toolCrumbs(crib)).find((crumb) => named(crumb) === 'kept')!
      await crib.crumbs.update(kept.id, { context: answering(7, '1.0.0', { name: 'kept' })['context'] })
    })
    rmSync(join(root, 'crumbs'), { recursive: true })
    await during(root, async (crib) => {
      expect((await toolCrumbs(crib)).map(named)).toEqual(['kept'])
      expect(await crib.call('kept', { a: 1 })).toMatchObject({ ok: true, value: { sum: 7 } })
      expect(await crib.call('adder', { a: 1 })).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
      const { events } = await crib.crumbs.store()
      const gone = (await events.after({ after: 0, limit: 100 })).filter(
        ({ event }) => event.type === 'breadcrumb.deleted',
      )
      expect(gone.map(({ event }) => event.reason)).toEqual(['file'])
    })
  })

  it('deletes it at once in a server that watches its files', async () => {
    verifies('C5')
    const root = tempFolder({
      'crumbs/adder.json': JSON.stringify(answering(1)),
      'crumbs/kept.json': JSON.stringify(answering(2, '1.0.0', { name: 'kept' })),
      'crumbs/note.json': JSON.stringify({ schema_name: 'note.v1', title: 'Note', tags: [], context: {} }),
    })
    await during(root, async (crib) => {
      await crib.watch()
      const kept = (await toolCrumbs(crib)).find((crumb) => named(crumb) === 'kept')!
      await crib.crumbs.update(kept.id, { context: answering(7, '1.0.0', { name: 'kept' })['context'] })
      rmSync(join(root, 'crumbs'), { recursive: true })
      await expect
        .poll(async () => (await toolCrumbs(crib)).map(named), { timeout: 20_000 })
        .toEqual(['kept'])
      await expect.poll(() => sumOf(crib), { timeout: 20_000 }).toBe('TOOL_NOT_FOUND')
      expect(await crib.call('kept', { a: 1 })).toMatchObject({ ok: true, value: { sum: 7 } })
      expect((await crib.crumbs.list({ schema: 'note.v1' })).items).toHaveLength(1)
    })
  })

  it('takes it from whoever asks a server that watches, in the moment the event tells of it', async () => {
    verifies('C5')
    const files = { 'crumbs/adder.json': JSON.stringify(answering(1)) }
    const crib = await servedCrib({ files, watch: true })
    const called = async () => (await crib.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })).body
    const listed = async () => JSON.stringify((await crib.ask('GET', '/api/tools')).body)
    expect(await called()).toMatchObject({ ok: true, value: { sum: 1 } })
    expect(await listed()).toContain('"adder"')
    const told = await fetch(`${crib.url}/events/stream?type=breadcrumb.deleted`, {
      headers: { authorization: `Bearer ${crib.token}` },
    })
    rmSync(join(crib.root, 'crumbs'), { recursive: true })
    let said = ''
    for await (const piece of told.body!.pipeThrough(new TextDecoderStream())) {
      said += piece
      if (said.includes('breadcrumb.deleted')) break
    }
    await expect.poll(listed, { timeout: 20_000 }).not.toContain('"adder"')
    expect(JSON.stringify(await called())).toContain('TOOL_NOT_FOUND')
  })

  it('two tools that wait for each other are reported and stay callable', async () => {
    verifies('C11')
    const waiting = (name: string, other: string) =>
      JSON.stringify(
        answering(3, '1.0.0', {
          name,
          bootstrap: { enabled: true, mode: 'once', input: { a: 1 }, wait_for: [other] },
        }),
      )
    const root = tempFolder({ 'crumbs/a.json': waiting('a', 'b'), 'crumbs/b.json': waiting('b', 'a') })
    await during(root, async (crib) => {
      expect(problemCodes(crib)).toContain('tc-wait-cycle')
      for (const name of ['a', 'b'])
        expect(await crib.call(name, { a: 1 })).toMatchObject({ ok: true, value: { sum: 3 } })
    })
  })

  it.skipIf(postgresMissing() !== null)('a command sees tools that live only in a shared store', async () => {
    verifies('C6')
    const postgres = await startPostgres()
    onTestFinished(() => postgres.remove())
    const root = tempFolder({ 'toolcrib.yaml': `store: ${JSON.stringify(postgres.url())}\n` })
    await during(root, async (crib) => {
      await crib.crumbs.create(answering(4))
    })
    const env = { HOME: root, PATH: process.env['PATH'] ?? '', TOOLCRIB_TRUST_FOLDER: '1' }
    const crib = await openCrib({ root, env })
    onTestFinished(() => crib.close())
    await crib.recallStoredTools()
    expect(crib.find('adder')?.id).toBe('adder')
  })

  it('goes on past a file that is nested too deep to be read, and says which one', async () => {
    verifies('C2')
    const deep = `{"schema_name":"note.v1","title":"deep","context":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
    const note = { schema_name: 'note.v1', title: 'Note', tags: [], context: {} }
    const root = tempFolder({ 'crumbs/a-deep.json': deep, 'crumbs/b-note.json': JSON.stringify(note) })
    await during(root, async (crib) => {
      expect((await crib.crumbs.list({ schema: 'note.v1' })).items).toMatchObject([{ title: 'Note' }])
      expect(crib.problems).toMatchObject([{ severity: 'error', file: join(root, 'crumbs/a-deep.json') }])
    })
  })

  it('tells of a schedule in a file that never fires, while the crib starts', async () => {
    verifies('C90')
    const context = { interval: { type: 'cron', expression: '61 * * * *' } }
    const root = tempFolder({
      'crumbs/often.json': JSON.stringify({ schema_name: 'schedule.definition.v1', title: 'Often', context }),
    })
    const crib = await openCrib({ root, cache: false, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
    const notes: { level: string; message: string }[] = []
    crib.on('note', (note) => notes.push(note))
    await crib.startEngines({ bootstrap: false, schedules: 'off' })
    await crib.close()
    expect(crib.problems).toMatchObject([{ code: 'SCHED_INVALID', file: join(root, 'crumbs/often.json') }])
    expect(notes).toMatchObject([
      { level: 'error', message: expect.stringMatching(/^crumbs\/often\.json: .*61/) },
    ])
  })

  it('takes a changed plain file only while nobody edited its breadcrumb, and keeps it when the file goes', async () => {
    verifies('C5')
    const plain = (text: string) => ({ schema_name: 'note.v1', title: 'Note', tags: [], context: { text } })
    const root = tempFolder({ 'crumbs/note.json': JSON.stringify(plain('one')) })
    const notes = async (crib: Crib) => (await crib.crumbs.list({ schema: 'note.v1' })).items
    const texts = async (crib: Crib) =>
      (await notes(crib)).map((one) => (one.context as { text: string }).text)
    expect(await during(root, texts)).toEqual(['one'])
    write(root, 'crumbs/note.json', plain('two'))
    expect(await during(root, texts)).toEqual(['two'])
    await during(root, async (crib) =>
      crib.crumbs.update((await notes(crib))[0]!.id, { context: { text: 'mine' } }),
    )
    write(root, 'crumbs/note.json', plain('three'))
    await during(root, async (crib) => {
      expect(await texts(crib)).toEqual(['mine'])
      expect(crib.problems).toMatchObject([{ code: 'seed-edited', severity: 'warning' }])
    })
    rmSync(join(root, 'crumbs/note.json'))
    expect(await during(root, texts)).toEqual(['mine'])
  })

  it('keeps the good stored version when its file breaks', async () => {
    verifies('C7')
    const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(answering(1)) })
    expect(await during(root, sumOf)).toBe(1)
    const broken = answering(2, '2.0.0', {
      code: { language: 'typescript', source: 'export const nothing = 1' },
    })
    write(root, 'crumbs/adder.json', broken)
    await during(root, async (crib) => {
      expect(problemCodes(crib)).toContain('tc-no-execute')
      expect(await sumOf(crib)).toBe(1)
    })
    write(root, 'crumbs/adder.json', '{ "schema_name": "tool.code.v1", ')
    await during(root, async (crib) => {
      expect(problemCodes(crib)).toContain('tc-json')
      expect(await sumOf(crib)).toBe(1)
    })
  })

  it('keeps a breadcrumb whose file was only moved: the tool runs on, and a schedule is not there twice', async () => {
    verifies('C3', 'C5')
    const schedule = {
      schema_name: 'schedule.definition.v1',
      title: 'Often',
      context: { interval: { type: 'hourly' } },
    }
    const root = tempFolder({
      'crumbs/adder.json': JSON.stringify(answering(1)),
      'crumbs/often.json': JSON.stringify(schedule),
    })
    const seeded = async (crib: Crib) => [
      ...(await toolCrumbs(crib)),
      ...(await crib.crumbs.list({ schema: 'schedule.definition.v1' })).items,
    ]
    const before = await during(root, seeded)
    mkdirSync(join(root, 'crumbs/sub'))
    for (const name of ['adder', 'often'])
      renameSync(join(root, `crumbs/${name}.json`), join(root, `crumbs/sub/${name}2.json`))
    for (let start = 0; start < 2; start++)
      await during(root, async (crib) => {
        expect(await seeded(crib)).toEqual(before)
        expect(await sumOf(crib)).toBe(1)
      })
    write(root, 'crumbs/sub/often2.json', { ...schedule, title: 'More often' })
    expect((await during(root, seeded)).map(({ title }) => title)).toEqual([before[0]!.title, 'More often'])
  })

  it('deletes the tool that its file no longer holds, also when two files have swapped theirs', async () => {
    verifies('C5')
    const named = (name: string, sum: number) => answering(sum, '1.0.0', { name })
    const root = tempFolder({
      'crumbs/a.json': JSON.stringify(named('one', 1)),
      'crumbs/b.json': JSON.stringify(named('two', 2)),
    })
    const names = async (crib: Crib) =>
      (await toolCrumbs(crib)).map((crumb) => (crumb.context as { name: string }).name).sort()
    expect(await during(root, names)).toEqual(['one', 'two'])
    write(root, 'crumbs/a.json', named('two', 3))
    write(root, 'crumbs/b.json', named('one', 4))
    await during(root, async (crib) => {
      expect(await names(crib)).toEqual(['one', 'two'])
      expect(await crib.call('one', { a: 1 })).toMatchObject({ value: { sum: 4 } })
    })
    write(root, 'crumbs/a.json', named('three', 5))
    await during(root, async (crib) => {
      expect(await names(crib)).toEqual(['one', 'three'])
      expect(await crib.call('two', { a: 1 })).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
    })
  })

  it('takes the next version when the file of the highest has gone', async () => {
    verifies('C4', 'C5')
    const root = tempFolder({
      'crumbs/a.json': JSON.stringify(answering(1, '1.0.0')),
      'crumbs/b.json': JSON.stringify(answering(2, '1.1.0')),
    })
    expect(await during(root, sumOf)).toBe(2)
    rmSync(join(root, 'crumbs/b.json'))
    await during(root, async (crib) => {
      expect(await sumOf(crib)).toBe(1)
      expect((await toolCrumbs(crib)).map(({ context }) => context)).toMatchObject([{ version: '1.0.0' }])
      expect(problemCodes(crib)).not.toContain('tc-older')
    })
  })

  it('takes a changed file as a whole: what it no longer says is no longer so', async () => {
    verifies('C3', 'C5')
    const note = { schema_name: 'note.v1', title: 'Note' }
    const root = tempFolder({
      'crumbs/note.json': JSON.stringify({
        ...note,
        visibility: 'public',
        tags: ['a'],
        context: { x: 1 },
        colour: 'red',
      }),
      'crumbs/adder.json': JSON.stringify(answering(1)),
    })
    await during(root, toolCrumbs)
    write(root, 'crumbs/note.json', note)
    write(root, 'crumbs/adder.json', { ...answering(1), visibility: 'private' })
    await during(root, async (crib) => {
      const [{ id }] = (await crib.crumbs.list({ schema: 'note.v1' })).items as [CrumbItem]
      const full = await crib.crumbs.get(id)
      expect(full).toMatchObject({ version: 2, visibility: 'team', tags: [], context: {} })
      expect(full).not.toHaveProperty('colour')
      expect(await crib.crumbs.get((await toolCrumbs(crib))[0]!.id)).toMatchObject({ visibility: 'private' })
    })
  })

  it('leaves a broken file of a higher version aside while another file or the store has a sound one', async () => {
    verifies('C4', 'C7')
    const broken = answering(2, '2.0.0', { code: { language: 'typescript', source: 'export const x = 1' } })
    const root = tempFolder({
      'crumbs/a.json': JSON.stringify(answering(1)),
      'crumbs/b.json': JSON.stringify(broken),
    })
    for (let start = 0; start < 2; start++)
      await during(root, async (crib) => {
        expect(await sumOf(crib)).toBe(1)
        expect(problemCodes(crib)).toEqual(['tc-no-execute'])
        expect(await toolCrumbs(crib)).toMatchObject([{ version: 1 }])
      })
  })

  it('leaves out what an ignore file leaves out of the catalog, and lets go of what was seeded before', async () => {
    verifies('C2', 'C5')
    const note = { schema_name: 'note.v1', title: 'Draft' }
    const root = tempFolder({
      '.toolcribignore': 'crumbs/drafts/\n',
      'crumbs/drafts/note.json': JSON.stringify(note),
      'crumbs/drafts/adder.json': JSON.stringify(answering(1)),
    })
    const notes = async (crib: Crib) => (await crib.crumbs.list({ schema: 'note.v1' })).items.length
    const standing = () => during(root, async (crib) => [await sumOf(crib), await notes(crib)])
    expect(await standing()).toEqual(['TOOL_NOT_FOUND', 0])
    rmSync(join(root, '.toolcribignore'))
    expect(await standing()).toEqual([1, 1])
    write(root, '.toolcribignore', 'crumbs/drafts/\n')
    expect(await standing()).toEqual(['TOOL_NOT_FOUND', 1])
  })

  it('reads files that begin with a byte order mark, as editors on Windows write them', async () => {
    verifies('C1', 'C2')
    const note = { schema_name: 'note.v1', title: 'Note' }
    const root = tempFolder({
      'crumbs/adder.json': `\uFEFF${JSON.stringify(answering(1))}`,
      'crumbs/note.json': `\uFEFF${JSON.stringify(note)}`,
    })
    await during(root, async (crib) => {
      expect(crib.problems).toEqual([])
      expect(await sumOf(crib)).toBe(1)
      expect(await toolCrumbs(crib)).toHaveLength(1)
      expect((await crib.crumbs.list({ schema: 'note.v1' })).items).toHaveLength(1)
    })
  })

  it('survives the folder being moved', async () => {
    const root = tempFolder({ 'here/crumbs/adder.json': JSON.stringify(answering(1)) })
    const [before] = await during(join(root, 'here'), toolCrumbs)
    renameSync(join(root, 'here'), join(root, 'there'))
    expect(await during(join(root, 'there'), toolCrumbs)).toMatchObject([{ id: before!.id, version: 1 }])
  })
})

describe('toolcrib check', () => {
  const sick = {
    'crumbs/nightly.json': `{
  "schema_name": "schedule.definition.v1",
  "title": "Nightly",
  "context": {
    "interval": { "type": "daily", "time": "25:00" }
  }
}`,
    'crumbs/note.json': JSON.stringify(
      {
        schema_name: 'note.v1',
        title: 'x'.repeat(501),
        visibility: 'everybody',
        tags: Array.from({ length: 65 }, (_, n) => `t${n}`),
      },
      null,
      2,
    ),
    'crumbs/large.json': JSON.stringify({
      schema_name: 'note.v1',
      title: 'Large',
      context: 'x'.repeat(5_000_000),
    }),
    'crumbs/adder.json': JSON.stringify({ ...answering(1), sensitivity: 'Low' }, null, 2),
    // Outside of `crumbs/` nothing is seeded.
    'notes/other.json': JSON.stringify({ schema_name: 'note.v1', visibility: 'everybody' }),
  }

  it('tells of files that cannot be seeded what serving them tells, with their lines, and opens no store', async () => {
    verifies('C2', 'C90')
    const root = tempFolder({ ...sick, 'crumbs/fine.json': JSON.stringify({ schema_name: 'note.v1' }) })
    const { code, json } = await toolcrib(['check', '--json'], { cwd: root })
    expect(code).toBe(4)
    const errors = (json.problems as Problem[]).filter(({ severity }) => severity === 'error')
    expect(
      errors.map(({ file, line, code, pointer }) => [relative(root, file!), line, code, pointer]),
    ).toEqual([
      ['crumbs/adder.json', expect.any(Number), 'invalid', '/sensitivity'],
      ['crumbs/large.json', 1, 'too_large', ''],
      ['crumbs/nightly.json', 5, 'SCHED_INVALID', '/context/interval'],
      ['crumbs/note.json', 3, 'invalid', '/title'],
      ['crumbs/note.json', 4, 'invalid', '/visibility'],
      ['crumbs/note.json', 5, 'invalid', '/tags'],
    ])
    for (const { hint } of errors) expect(hint).toBeTruthy()
    expect(existsSync(join(root, '.toolcrib/crib.db'))).toBe(false)
    await during(root, async (crib) => {
      const told = crib.problems.filter(({ severity }) => severity === 'error')
      expect(sortProblems(told)).toEqual(errors)
    })
    const one = await toolcrib(['check', 'crumbs/fine.json', 'notes'], { cwd: root })
    expect(one.code).toBe(0)
  })
})

function named(crumb: CrumbItem): string {
  return (crumb.context as { name: string }).name
}

describe('a tool made through the API', () => {
  it('runs within a second; a broken change is refused and the old one still runs', async () => {
    verifies('C6', 'C7', 'C-case-11')
    const crib = await servedCrib()
    const posted = await crib.ask('POST', '/breadcrumbs', answering(1))
    expect(posted.status).toBe(201)
    const { id } = posted.body
    const call = () => crib.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })
    await expect.poll(async () => (await call()).body.value, { timeout: 20_000 }).toEqual({ sum: 1 })
    const broken = answering(2, '2.0.0', {
      code: { language: 'typescript', source: 'export function execute( {' },
    })
    const refused = await crib.ask('PATCH', `/breadcrumbs/${id}`, { context: broken['context'] })
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'TOOL_INVALID',
        legacyCode: 'tc-source-syntax',
        errors: [{ code: 'tc-source-syntax', severity: 'error', pointer: expect.any(String) }],
      },
    })
    expect((await crib.ask('GET', `/breadcrumbs/${id}`)).body.version).toBe(1)
    expect((await call()).body.value).toEqual({ sum: 1 })
    const changed = answering(3, '1.0.1')
    expect((await crib.ask('PATCH', `/breadcrumbs/${id}`, { context: changed['context'] })).status).toBe(200)
    await expect.poll(async () => (await call()).body.value, { timeout: 20_000 }).toEqual({ sum: 3 })
    expect((await crib.ask('DELETE', `/breadcrumbs/${id}`)).status).toBe(200)
    await expect.poll(async () => (await call()).status, { timeout: 20_000 }).toBe(404)
  })

  it('with errors stores nothing; warnings come with the answer', async () => {
    verifies('C7')
    const crib = await servedCrib()
    const refused = await crib.ask(
      'POST',
      '/breadcrumbs',
      toolDocument({ limits: { timeout_ms: 0 }, name: '?' }),
    )
    expect(refused.status).toBe(422)
    expect(refused.body.errors.map((problem: { code: string }) => problem.code).sort()).toEqual(
      expect.arrayContaining(['tc-limit', 'tc-name']),
    )
    expect((await crib.ask('GET', '/breadcrumbs?schema_name=tool.code.v1')).body).toEqual([])
    const legacy = await crib.ask('POST', '/breadcrumbs', { ...toolDocument(), schema_name: 'tool.v1' })
    expect(legacy).toMatchObject({ status: 422, body: { code: 'TOOL_INVALID', legacyCode: 'tc-legacy-v1' } })
    const untagged = await crib.ask('POST', '/breadcrumbs', toolDocument({}, { tags: ['tool'] }))
    expect(untagged.status).toBe(201)
    expect(untagged.body.warnings[0]).toMatchObject({ code: 'tc-tag-missing', severity: 'warning' })
  })

  it('of several versions the highest is active, then the next when it goes', async () => {
    verifies('C6')
    const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(answering(1, '1.9.0')) })
    await during(root, async (crib) => {
      const { id } = await crib.crumbs.create(answering(2, '1.10.0'))
      expect(await sumOf(crib)).toBe(2)
      await crib.crumbs.create(answering(3, '1.2.0'))
      expect(await sumOf(crib)).toBe(2)
      await crib.crumbs.remove(id)
      expect(await sumOf(crib)).toBe(1)
      const [seeded] = (await toolCrumbs(crib)).filter(
        (crumb) => (crumb.context as { version: string }).version === '1.9.0',
      )
      await crib.crumbs.remove(seeded!.id)
      expect(await sumOf(crib)).toBe(3)
    })
  })

  it('follows what another process does to its breadcrumb, within a second', async () => {
    verifies('C6')
    const root = tempFolder()
    await during(root, async (crib) => {
      const other = await openCrib({ root, cache: false, env: { HOME: root } })
      onTestFinished(() => other.close())
      const soon = { timeout: 1_000, interval: 20 }
      const has = (name: string) => crib.list({ format: 'tool-code' }).some(({ id }) => id === name)
      const { id } = await other.crumbs.create(answering(1))
      await expect.poll(() => has('adder'), soon).toBe(true)
      expect(await sumOf(crib)).toBe(1)
      await other.crumbs.update(id, { context: answering(2, '1.1.0')['context'] })
      await expect.poll(() => crib.find('adder').version, soon).toBe('1.1.0')
      expect(await sumOf(crib)).toBe(2)
      await other.crumbs.update(id, { schema_name: 'note.v1' })
      await expect.poll(() => has('adder'), soon).toBe(false)
      await other.crumbs.update(id, { schema_name: 'tool.code.v1' })
      await expect.poll(() => has('adder'), soon).toBe(true)
      await other.crumbs.remove(id)
      await expect.poll(() => has('adder'), soon).toBe(false)
    })
  })

  it('comes and goes in a crib that is only watched, as an MCP client has one, within a second', async () => {
    verifies('C6')
    const root = tempFolder()
    const [watched, other] = await Promise.all([0, 1].map(() => openCrib({ root, env: { HOME: root } })))
    onTestFinished(() => Promise.all([watched!.close(), other!.close()]).then(() => {}))
    await watched!.watch()
    const has = () => watched!.list({ format: 'tool-code' }).some(({ id }) => id === 'adder')
    const soon = { timeout: 1_000, interval: 20 }
    const { id } = await other!.crumbs.create(answering(1))
    await expect.poll(has, soon).toBe(true)
    await other!.crumbs.update(id, { schema_name: 'note.v1' })
    await expect.poll(has, soon).toBe(false)
  })

  it.each([
    ['deleted', (crib: Crib, id: string) => crib.crumbs.remove(id)],
    ['made a note', (crib: Crib, id: string) => crib.crumbs.update(id, { schema_name: 'note.v1' })],
    [
      'made another tool',
      (crib: Crib, id: string) =>
        crib.crumbs.update(id, { context: answering(9, '1.0.0', { name: 'multiplier' })['context'] }),
    ],
  ])(
    'that came from a file is out of the catalog when its breadcrumb is %s, until the next start',
    async (_, change) => {
      verifies('C6')
      const root = tempFolder({ 'crumbs/adder.json': JSON.stringify(answering(1)) })
      await during(root, async (crib) => {
        expect(await sumOf(crib)).toBe(1)
        await change(crib, (await toolCrumbs(crib))[0]!.id)
        expect(await sumOf(crib)).toBe('TOOL_NOT_ALLOWED')
      })
      expect(await during(root, sumOf)).toBe(1)
    },
  )

  it('is gone when its time is over, for a server and for the command line after it', async () => {
    verifies('C6', 'C115')
    const crib = await servedCrib()
    expect((await crib.ask('POST', '/breadcrumbs', { ...answering(1), ttl_seconds: 2 })).status).toBe(201)
    const call = () => crib.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })
    expect((await call()).status).toBe(200)
    await expect.poll(async () => (await call()).status, { timeout: 4_000 }).toBe(404)
    const root = tempFolder()
    const writer = await openCrib({ root, env: { HOME: root } })
    await writer.crumbs.create({ ...answering(1), ttl_seconds: 0.5 })
    await writer.close()
    await expect
      .poll(async () => (await toolcrib(['run', 'adder', '--a', '1'], { cwd: root })).code, {
        timeout: 10_000,
      })
      .toBe(3)
  })

  it('is there for the next process when another tool made it', async () => {
    verifies('C6')
    const maker = answering(0, '1.0.0', {
      name: 'maker',
      code: {
        language: 'typescript',
        source: 'export const execute = async ({ doc }, { api }) => api.createBreadcrumb(doc)',
      },
      input_schema: { type: 'object' },
      output_schema: { type: 'object' },
      examples: [],
      permissions: { breadcrumbs: { write: ['tool.code.v1'] } },
    })
    const root = tempFolder({ 'crumbs/maker.json': JSON.stringify(maker) })
    for (const name of ['first', 'second']) {
      const params = JSON.stringify({ doc: answering(1, '1.0.0', { name }) })
      const made = await toolcrib(['run', 'maker', '--params', params], { cwd: root })
      expect(made.code).toBe(0)
      // Without a server nobody but that process could have told.
      const { stdout } = await toolcrib(['list'], { cwd: root })
      expect(stdout).toContain(name)
    }
  })

  it('lets running calls finish on the version they began with', async () => {
    verifies('C6')
    const root = tempFolder()
    const slow = answering(0, '1.0.0', {
      code: {
        language: 'typescript',
        source:
          'export const execute = async (_: any, context: any) => { context.log.info("began"); await new Promise((r) => setTimeout(r, 1500)); return { sum: 1 } }',
      },
    })
    await during(root, async (crib) => {
      const { id } = await crib.crumbs.create(slow)
      let begin = () => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const first = crib.call('adder', { a: 1 }, { onLog: () => begin() })
      await begun
      await crib.crumbs.update(id, { context: answering(2, '1.1.0')['context'] })
      expect(await sumOf(crib)).toBe(2)
      expect(await first).toMatchObject({ ok: true, value: { sum: 1 } })
    })
  })

  it('is read in full whatever its hints hide, and there may be many', async () => {
    verifies('C8')
    const root = tempFolder()
    await during(root, async (crib) => {
      const { id } = await crib.crumbs.create({ ...answering(4), llm_hints: { include: ['name'] } })
      expect(await sumOf(crib)).toBe(4)
      const open = await crib.crumbs.open()
      const view = await open.crumbs.view(id, makePrincipal({ surface: 'http', name: 'x', isAdmin: true }))
      expect(view.context).toEqual({ name: 'adder' })
      // More than one page of the store: written there directly, then taken over at once.
      const draft = (n: number) => {
        const {
          title = 't',
          tags,
          context,
        } = answering(n, '1.0.0', { name: `tool_${n}` }) as never as {
          title: string
          tags: string[]
          context: object
        }
        return { title, tags, context, schema_name: 'tool.code.v1', visibility: 'team', sensitivity: 'low' }
      }
      const actor = makePrincipal({ surface: 'http', name: 'x', isAdmin: true })
      await Promise.all(
        Array.from({ length: 1100 }, (_, n) => open.store.crumbs.create(draft(n) as never, actor)),
      )
      await crib.crumbs.storedTools.adopt()
      const own = crib.list({ format: 'tool-code' }).filter(({ tier }) => tier !== 'system')
      expect(own).toHaveLength(1101)
      expect(await crib.call('tool_1099', { a: 1 })).toMatchObject({ ok: true, value: { sum: 1099 } })
    })
  })

  it("is nobody's under trust: require, and does not run", async () => {
    const crib = await servedCrib({ config: { trust: 'require' } })
    expect((await crib.ask('POST', '/breadcrumbs', answering(1))).status).toBe(201)
    const call = () => crib.ask('POST', '/api/tools/adder/call', { params: { a: 1 } })
    await expect
      .poll(async () => (await call()).body.error?.code ?? (await call()).body.code, { timeout: 20_000 })
      .toBe('TRUST_UNSIGNED')
  })

  it('is there for the command line too, with and without a server', async () => {
    verifies('C6')
    const crib = await servedCrib()
    await crib.ask('POST', '/breadcrumbs', answering(9))
    await expect.poll(() => crib.crib.list().map(({ id }) => id), { timeout: 20_000 }).toContain('adder')
    const listed = await toolcrib(['list', '--json'], { cwd: crib.root })
    expect(listed.json.tools.map(({ id }: { id: string }) => id)).toContain('adder')
    const ran = await toolcrib(['run', 'adder', '--params', '{"a":1}', '--json'], { cwd: crib.root })
    expect(ran.json).toMatchObject({ ok: true, value: { sum: 9 } })
  })
})

it('a tool that bootstrap should start and that cannot run is in the report as failed, with the reason', async () => {
  verifies('C82', 'C83', 'C85')
  const bootstrap = { enabled: true, mode: 'once' }
  const unfit = answering(1, '1.0.0', { bootstrap: { ...bootstrap, input: { a: 'one' } } })
  const waiting = answering(2, '1.0.0', { name: 'waiting', bootstrap: { ...bootstrap, wait_for: ['adder'] } })
  const root = tempFolder({
    'crumbs/adder.json': JSON.stringify(unfit),
    'crumbs/waiting.json': JSON.stringify(waiting),
  })
  const crib = await openCrib({ root, env: { HOME: root, PATH: process.env['PATH'] ?? '' } })
  onTestFinished(() => crib.close())
  const engines = await crib.startEngines({ schedules: 'off' })
  await engines.bootstrapped
  expect(engines.bootstrap!.report!.tools).toMatchObject([
    { name: 'adder', status: 'failed', code: 'TOOL_INVALID', reason: expect.stringContaining('bootstrap') },
    { name: 'waiting', status: 'skipped', reason: 'adder failed' },
  ])
})

it('the catalog is a breadcrumb that follows every change within two seconds', async () => {
  verifies('C67')
  const crib = await servedCrib({
    files: {
      'crumbs/adder.json': JSON.stringify(answering(1)),
      'crumbs/bad.json': JSON.stringify(
        answering(1, '1.0.0', { name: 'bad', code: { language: 'typescript', source: '' } }),
      ),
    },
  })
  const catalog = async () => {
    const { body } = await crib.ask('GET', '/breadcrumbs?schema_name=tool.catalog.v1&tag=tool:catalog')
    expect(body).toHaveLength(1)
    return body[0]
  }
  const first = await catalog()
  expect(first).toMatchObject({
    title: 'workspace:tools Tool Catalog',
    tags: ['workspace:tools', 'tool:catalog'],
  })
  expect(first.context).toMatchObject({ workspace: 'workspace:tools', lastUpdated: expect.any(String) })
  const names = (context: { tools: { name: string }[] }) => context.tools.map(({ name }) => name)
  expect(names(first.context)).toContain('adder')
  expect(names(first.context)).not.toContain('bad')
  const shown = first.context.tools.find(({ name }: { name: string }) => name === 'adder')
  expect(Object.keys(shown).sort()).toEqual(
    [
      'category',
      'description',
      'examples',
      'inputSchema',
      'name',
      'outputSchema',
      'status',
      'version',
    ].sort(),
  )
  expect(first.context.totalTools).toBe(first.context.tools.length)
  crib.crib.addTool({ id: 'made/in-code', description: 'new', fn: () => 1 })
  await expect
    .poll(async () => names((await catalog()).context), { timeout: 20_000 })
    .toContain('made/in-code')
  expect((await catalog()).id).toBe(first.id)
})
