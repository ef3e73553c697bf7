// Every route that reads, asked by tokens that are narrowed, for everything that is there: a word that stands in all of
// what the operator has and in nothing of theirs is in no answer (G17). A new route is walked without a line here.
import { expect, it, vi } from 'vitest'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { routes } from '../../src/surfaces/http/routes.ts'
import { sha256 } from '../../src/tool/json.ts'
import { proves } from '../helpers/proves.ts'
import { verifies } from '../helpers/verifies.ts'

const word = 'canary'
const holders = {
  listed: { allowedTools: 'mine' },
  granted: { grants: ['crumbs.read:tool.*', 'crumbs.write:mine.*'] },
  offered: { offer: 'few' },
}
const tokenOf = (name: string) => `${name}-`.padEnd(32, 'x')

async function start() {
  const at = await servedCrib({
    config: {
      trust: 'off',
      audit: { params: 'full' },
      approve: ['canary-asked'],
      offers: { few: { tools: ['mine'] } },
      serve: {
        tokens: Object.entries(holders).map(([name, rights]) => ({
          name,
          token: `sha256:${sha256(tokenOf(name))}`,
          ...rights,
        })),
      },
    },
  })
  const params = { type: 'object' as const }
  at.crib.addTool({ id: 'mine', params, fn: () => 'fine' })
  // Granted to nobody narrowed: it needs what their grants lack.
  const requires = ['fs.read']
  at.crib.addTool({ id: 'canary-works', params, requires, fn: () => 'canary of a result' })
  at.crib.addTool({ id: 'canary-asked', params, requires, fn: () => 'canary' })
  at.crib.addTool({
    id: 'canary-fails',
    params,
    requires,
    fn: () => Promise.reject(new Error('canary of an error')),
  })
  return at
}

async function act({ ask }: Awaited<ReturnType<typeof start>>): Promise<string[]> {
  const call = (id: string, headers = {}) =>
    ask('POST', `/api/tools/${id}/call`, { params: { text: 'canary' } }, { headers })
  const runs = [
    (await call('canary-works')).body.runId,
    (await call('canary-fails')).body.runId,
    (await call('canary-works', { prefer: 'respond-async' })).body.runId,
    (await call('canary-asked', { prefer: 'respond-async' })).body.runId,
  ]
  const write = async (schema_name: string, context: object, tags: string[] = []) =>
    (await ask('POST', '/breadcrumbs', { title: 'canary', schema_name, tags, context })).body.id
  const crumbs = [
    await write('tool.request.v1', { tool: 'canary-works', input: {} }, ['tool:request', 'workspace:tools']),
    await write('tool.request.v1', { tool: 'nothing', input: {} }, ['tool:request', 'workspace:tools']),
    await write('schedule.definition.v1', { interval: { type: 'hourly' } }),
    await write('system.note.v1', { text: 'canary' }),
  ]
  await ask('POST', '/secrets', { name: 'CANARY_KEY', value: 'canary of a secret' })
  await vi.waitFor(async () => {
    const answers = await ask('GET', '/breadcrumbs?schema_name=tool.response.v1')
    expect(answers.body.length).toBeGreaterThanOrEqual(2)
  })
  const answers = (await ask('GET', '/breadcrumbs?schema_name=tool.response.v1')).body
  return [...runs, ...crumbs, ...answers.map(({ id }: { id: string }) => id), 'canary-works']
}

/** What comes within a while; a stream is left then. */
async function read(url: string, token: string): Promise<string> {
  const leave = AbortSignal.timeout(1_200)
  let text = ''
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: leave })
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
  } catch (error) {
    if (!leave.aborted) throw error
  }
  return text
}

it.each(Object.keys(holders))(
  'a token that is %s hears nothing of the operator’s on any route',
  async (name) => {
    verifies('G17')
    proves('token-matrix')
    const at = await start()
    const ids = await act(at)
    const query = `?q=${word}&limit=20&tag=request:x&params=${encodeURIComponent('{}')}&all=true&since=0`
    const paths = routes
      .filter(({ method, path }) => method === 'get' && !path.startsWith('/.well-known') && path !== '/')
      .flatMap(({ path }) => {
        const at = (id: string) => path.replace(/:\w+(\{\.\+\})?/, encodeURIComponent(id))
        return path.includes(':')
          ? ids.map(at)
          : [path, `${path}${query}`, `${path}?since=0`, `${path}?all=true`]
      })
    const told: string[] = []
    const works = paths.map((path) => async () => {
      const text = await read(`${at.url}${path}`, tokenOf(name))
      // What was asked for may be said back.
      const asked = decodeURIComponent(path).split(/[/?&=]/)
      const rest = asked
        .filter((part) => part.includes(word))
        .reduce((all, part) => all.replaceAll(part, ''), text)
      if (rest.toLowerCase().includes(word)) told.push(`${path}: ${rest.slice(0, 2_000)}`)
    })
    for (let next = works.splice(0, 12); next.length > 0; next = works.splice(0, 12)) {
      const going = Promise.all(next.map((work) => work()))
      await at.ask('POST', '/api/tools/canary-works/call', { params: { text: word } })
      await going
    }
    expect(told).toEqual([])
  },
  120_000,
)
