// Every token against every tool on every surface, lists included. What is right is worked out here on its own, from
// the token's two limits, and compared with what each surface shows and does.
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, it, onTestFinished } from 'vitest'
import { servedCrib } from '../../src/surfaces/http/fixtures/served-crib.ts'
import { proves } from '../helpers/proves.ts'

interface Subject {
  readonly id: string
  /** As MCP clients name it. */
  readonly name: string
  readonly requires: readonly string[]
}

const functions: readonly Subject[] = [
  { id: 'open', name: 'open', requires: [] },
  { id: 'files/read', name: 'files_read', requires: ['fs.read'] },
  { id: 'files/write', name: 'files_write', requires: ['fs.write'] },
  { id: 'web/get', name: 'web_get', requires: ['net.http'] },
  { id: 'web/post', name: 'web_post', requires: ['net.http', 'fs.read'] },
  { id: 'deploy', name: 'deploy', requires: ['shell.execute'] },
]
const skills: readonly Subject[] = ['guide', 'secret-plan'].map((id) => ({ id, name: id, requires: [] }))
const subjects = [...functions, ...skills]

interface Holder {
  readonly name: string
  readonly grants?: readonly string[]
  /** Ids it may call; absent: all. */
  readonly ids?: readonly string[]
}

const holders: readonly Holder[] = [
  { name: 'all' },
  { name: 'nothing', grants: [] },
  { name: 'reader', grants: ['fs.read'] },
  { name: 'files', grants: ['fs.read', 'fs.write'] },
  { name: 'surfer', grants: ['net.http', 'fs.read'] },
  { name: 'one', ids: ['open'] },
  { name: 'two', ids: ['files/read', 'guide'] },
  { name: 'webby', ids: ['web/get', 'web/post'] },
  { name: 'both', grants: ['fs.read'], ids: ['files/read', 'web/post', 'secret-plan'] },
  { name: 'none', ids: ['no-such-tool'] },
]

const granted = ['fs.read', 'fs.write', 'net.http']
const tokenOf = ({ name }: Holder) => `token-of-${name}-0123456789abcdef`

/** Whether a holder may call a tool: its list names it, and crib and token both grant all it needs. */
function may(holder: Holder, subject: Subject): boolean {
  const isListed = holder.ids === undefined || holder.ids.includes(subject.id)
  return isListed && isGranted(holder, subject)
}

function isGranted(holder: Holder, { requires }: Subject): boolean {
  return requires.every((need) => granted.includes(need) && (holder.grants?.includes(need) ?? true))
}

/** A list shows what the token could call; what only the crib itself does not grant is shown and refused. */
function sees(holder: Holder, subject: Subject): boolean {
  const isListed = holder.ids === undefined || holder.ids.includes(subject.id)
  return isListed && (holder.grants === undefined || isGranted(holder, subject))
}

it('lets no token see, read or call what it may not, on any surface', async () => {
  proves('token-matrix')
  const called: string[] = []
  const { crib, ask, url } = await servedCrib({
    files: Object.fromEntries(
      skills.map(({ id }) => [
        `skills/${id}/SKILL.md`,
        `---\nname: ${id}\ndescription: text of ${id}\n---\n\nThe content of ${id}.\n`,
      ]),
    ),
    config: {
      trust: 'off',
      grants: { default: granted },
      serve: {
        tokens: holders.map((holder) => ({
          name: holder.name,
          token: `env://${holder.name.toUpperCase()}`,
          ...(holder.grants === undefined ? {} : { grants: holder.grants }),
          ...(holder.ids === undefined ? {} : { allowedTools: holder.ids.join(' ') }),
        })),
      },
    },
    env: Object.fromEntries(holders.map((holder) => [holder.name.toUpperCase(), tokenOf(holder)])),
  })
  for (const { id, requires } of functions)
    crib.addTool({
      id,
      description: `does ${id}`,
      requires,
      params: { type: 'object' },
      fn: () => {
        called.push(id)
        return `did ${id}`
      },
    })

  let cells = 0
  const bypasses: string[] = []
  const cell = (holder: Holder, subject: Subject, surface: string, isOpen: boolean, mayBe: boolean) => {
    cells++
    if (isOpen !== mayBe)
      bypasses.push(`${holder.name} × ${subject.id} × ${surface}: ${isOpen ? 'open' : 'closed'}`)
  }

  for (const holder of holders) {
    const token = tokenOf(holder)
    const http = (method: string, path: string, body?: unknown, headers = {}) =>
      ask(method, path, body, { token, headers })
    const lists: Record<string, string> = {
      'GET /api/tools': JSON.stringify(
        (await http('GET', '/api/tools')).body.tools.map((tool: Subject) => tool.id),
      ),
      'GET /api/tools?all': JSON.stringify(
        (await http('GET', '/api/tools?all=true')).body.tools.map((tool: Subject) => tool.id),
      ),
      'GET /api/tools?query': JSON.stringify(
        (await http('GET', '/api/tools?all=true&query=does')).body.tools.map((tool: Subject) => tool.id),
      ),
      'GET /openapi.json': JSON.stringify((await http('GET', '/openapi.json')).body),
      'GET /metrics': String((await http('GET', '/metrics')).body),
      'GET of a near name': JSON.stringify((await http('GET', '/api/tools/file%2Fwrit')).body),
    }
    for (const subject of functions) {
      const mayList = sees(holder, subject)
      for (const [surface, text] of Object.entries(lists)) {
        const isShown = new RegExp(`["/]${subject.id}["/]`).test(text.replaceAll('~1', '/'))
        // These show no more than they must; they need not show all.
        const needNot = /query|metrics|near|openapi/.test(surface)
        cell(holder, subject, surface, isShown, needNot && !isShown ? false : mayList)
      }
    }

    const old = new OldClient({ name: 'old', version: '1' })
    await old.connect(
      new OldHttp(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }) as never,
    )
    const modern = new ModernClient({ name: 'new', version: '1' }, {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    } as never)
    await modern.connect(
      new ModernHttp(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    onTestFinished(async () => {
      await old.close()
      await modern.close()
    })

    for (const subject of functions) {
      const { id, name } = subject
      const mayCall = may(holder, subject)
      const didRun = async (surface: string, work: () => Promise<unknown>) => {
        const before = called.length
        const answer = JSON.stringify(await work().catch((error: Error) => error.message))
        cell(holder, subject, surface, called.length > before || answer.includes(`did ${id}`), mayCall)
      }
      const show = await http('GET', `/api/tools/${encodeURIComponent(id)}`)
      cell(holder, subject, 'GET /api/tools/{id}', show.status === 200, sees(holder, subject))
      const path = `/api/tools/${encodeURIComponent(id)}/call`
      const dry = await http('POST', path, { params: {}, dryRun: true })
      cell(holder, subject, 'dry run', dry.body.ok === true, mayCall)
      await didRun('POST call', () => http('POST', path, { params: {} }))
      await didRun('POST call as a stream', () =>
        http('POST', path, { params: {} }, { accept: 'text/event-stream' }),
      )
      await didRun('POST call with a key', () =>
        http('POST', path, { params: {} }, { 'idempotency-key': `k-${id}` }),
      )
      // The answer of an earlier call must not be handed to another token by its key.
      const again = await http('POST', path, { params: {} }, { 'idempotency-key': `k-${id}` })
      cell(holder, subject, 'a kept answer', JSON.stringify(again.body).includes(`did ${id}`), mayCall)
      await didRun('MCP call, older era', () => old.callTool({ name, arguments: {} }))
      await didRun('MCP call, newer era', () => modern.callTool({ name, arguments: {} }))
      await didRun('MCP call by id', () => modern.callTool({ name: id, arguments: {} }))
    }

    for (const [era, client] of [
      ['older', old],
      ['newer', modern],
    ] as const) {
      const offered = {
        'tools/list': (await client.listTools()).tools.map((tool) => tool.name),
        'prompts/list': (await client.listPrompts()).prompts.map((prompt) => prompt.name),
        'resources/list': (await client.listResources()).resources.map((resource) => resource.uri),
      }
      for (const subject of functions)
        cell(
          holder,
          subject,
          `tools/list, ${era}`,
          offered['tools/list'].includes(subject.name),
          sees(holder, subject),
        )
      for (const subject of skills) {
        const { id } = subject
        const mayRead = sees(holder, subject)
        cell(holder, subject, `prompts/list, ${era}`, offered['prompts/list'].includes(id), mayRead)
        cell(
          holder,
          subject,
          `resources/list, ${era}`,
          offered['resources/list'].includes(`skill://${id}/SKILL.md`),
          mayRead,
        )
        const reads = {
          'prompts/get': () => client.getPrompt({ name: id }),
          'resources/read': () => client.readResource({ uri: `skill://${id}/SKILL.md` }),
          completion: () =>
            client.complete({
              ref: { type: 'ref/resource', uri: 'skill://{name}/{+path}' },
              argument: { name: 'name', value: id.slice(0, 3) },
            }),
        }
        for (const [surface, read] of Object.entries(reads)) {
          const text = JSON.stringify(await (read() as Promise<unknown>).catch(() => ''))
          cell(
            holder,
            subject,
            `${surface}, ${era}`,
            text.includes(`content of ${id}`) || (surface === 'completion' && text.includes(id)),
            mayRead,
          )
        }
      }
    }
  }

  // Runs: each token its own.
  for (const holder of holders) {
    const { body } = await ask('GET', '/api/runs?limit=1000', undefined, { token: tokenOf(holder) })
    const foreign = body.runs.filter((run: { caller: string }) => run.caller !== holder.name)
    cells++
    if (foreign.length > 0) bypasses.push(`${holder.name} sees ${foreign.length} runs of others`)
  }
  const { body: all } = await ask('GET', '/api/runs?limit=1000')
  for (const holder of holders) {
    const own = all.runs.find((run: { caller: string }) => run.caller !== holder.name)
    const { status } = await ask('GET', `/api/runs/${own.runId}`, undefined, { token: tokenOf(holder) })
    const cancel = await ask('POST', `/api/runs/${own.runId}/cancel`, {}, { token: tokenOf(holder) })
    cells += 2
    if (status !== 404 || cancel.status !== 404)
      bypasses.push(`${holder.name} reached a run of ${own.caller}`)
    // A beginning that many runs share must not tell which there are.
    for (const way of ['', '/events', '/changes']) {
      const path = `/api/runs/${own.runId.slice(0, 6)}${way}`
      const { body, status } = await ask('GET', path, undefined, { token: tokenOf(holder) })
      cells++
      if (
        status !== 404 ||
        all.runs.some(({ runId }: { runId: string }) => JSON.stringify(body).includes(runId))
      )
        bypasses.push(`${holder.name} learnt ids of runs by ${path}`)
    }
  }
  for (const holder of holders)
    for (const path of ['/api/approvals', '/api/tokens', '/api/automation']) {
      cells++
      const { status } = await ask('GET', path, undefined, { token: tokenOf(holder) })
      if (status < 400) bypasses.push(`${holder.name} reached ${path}`)
    }

  console.info(
    `token matrix: ${holders.length} tokens × ${subjects.length} tools, ${cells} cells walked, ${bypasses.length} bypasses`,
  )
  expect(bypasses).toEqual([])
}, 120_000)
