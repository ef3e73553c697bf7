// The OpenAPI document against an independent validator, and real answers against the document.
import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../test/helpers/temp-folder.ts'
import type { FunctionTool } from '../../crib/crib.ts'
import { type ServedCrib, servedCrib } from './fixtures/served-crib.ts'

const examples = fileURLToPath(new URL('../../../examples', import.meta.url))
const count = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const

const tools: FunctionTool[] = [
  { id: 'count', params: count, returns: count, fn: (params) => params },
  { id: 'liar', params: count, returns: count, fn: () => ({ n: 'no number' }) },
  { id: 'web', requires: ['net.http'], fn: () => 'page' },
  { id: 'hang', params: { type: 'object' }, fn: () => new Promise(() => {}) },
  {
    id: 'boom',
    fn: () => {
      throw new Error('boom')
    },
  },
  {
    id: 'odd/{braces} and ünicode',
    description: 'Has references and words of an older draft',
    tags: ['odd', 'words'],
    params: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      definitions: { name: { type: 'string' } },
      properties: {
        first: { $ref: '#/definitions/name' },
        pair: { type: 'array', items: { type: 'string' } },
      },
    },
    returns: {
      $defs: { text: { type: 'string' } },
      type: 'object',
      properties: { t: { $ref: '#/$defs/text' } },
    },
    fn: () => ({ t: 'x' }),
  },
]

async function serveTools(): Promise<ServedCrib> {
  const served = await servedCrib()
  served.crib.addTools(tools)
  return served
}

/** Faults an independent validator finds in the document. */
async function faultsOf(document: Record<string, unknown>): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(document)
  return valid ? [] : errors
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, whatever the tools are', async () => {
    const { body } = await (await serveTools()).ask('GET', '/openapi.json')
    expect(body.openapi).toMatch(/^3\.1\./)
    expect(Object.keys(body.paths)).toContain('/api/tools/odd/%7Bbraces%7D%20and%20%C3%BCnicode/call')
    expect(await faultsOf(body)).toEqual([])
    expect(await faultsOf({ ...body, paths: { nothing: {} } })).not.toEqual([])
  })

  it('is valid for the example crib', async () => {
    const root = tempFolder()
    cpSync(examples, root, { recursive: true })
    const { body } = await (await servedCrib({ root })).ask('GET', '/openapi.json')
    expect(Object.keys(body.paths).filter((path) => path.endsWith('/call')).length).toBeGreaterThan(10)
    expect(await faultsOf(body)).toEqual([])
  })

  it('names each operation once and declares each parameter of a path', async () => {
    const { body } = await (await serveTools()).ask('GET', '/openapi.json')
    const ids: string[] = []
    for (const [path, item] of Object.entries((body as Document).paths)) {
      const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const { parameters = [], ...operations } = item
      for (const [method, operation] of Object.entries(operations)) {
        ids.push(operation.operationId)
        const declared = [...parameters, ...(operation.parameters ?? [])]
          .filter((parameter) => parameter.in === 'path')
          .map((parameter) => parameter.name)
        expect([path, method, declared.sort()]).toEqual([path, method, wanted.sort()])
      }
    }
    expect(ids).toEqual([...new Set(ids)])
  })
})

describe('an answer is what the document says', () => {
  const uncalled = { method: 'GET', body: undefined }
  const call = (tool: string, body: object, status: number) => ({
    ask: `/api/tools/${tool}/call`,
    documented: `/api/tools/${tool}/call`,
    method: 'POST',
    body,
    status,
  })
  it.each([
    { ask: '/healthz', documented: '/healthz', status: 200, ...uncalled },
    { ask: '/readyz', documented: '/readyz', status: 200, ...uncalled },
    { ask: '/api/tools', documented: '/api/tools', status: 200, ...uncalled },
    { ask: '/api/tools/count', documented: '/api/tools/{id}', status: 200, ...uncalled },
    { ask: '/api/tools/cont', documented: '/api/tools/{id}', status: 404, ...uncalled },
    { ask: '/api/runs', documented: '/api/runs', status: 200, ...uncalled },
    { ask: '/api/runs?limit=0', documented: '/api/runs', status: 400, ...uncalled },
    { ask: '/api/approvals', documented: '/api/approvals', status: 200, ...uncalled },
    { ask: '/api/tokens', documented: '/api/tokens', status: 200, ...uncalled },
    { ask: '/metrics', documented: '/metrics', status: 200, ...uncalled },
    { ask: '/breadcrumbs', documented: '/breadcrumbs', status: 200, ...uncalled },
    call('count', { params: { n: 1 } }, 200),
    call('count', { params: { n: 1 }, dryRun: true }, 200),
    call('count', { params: { n: 'x' } }, 422),
    call('count', { parms: {} }, 400),
    call('liar', { params: { n: 1 } }, 422),
    call('web', {}, 403),
    call('boom', {}, 200),
    call('hang', { timeoutMs: 20 }, 504),
  ])('$method $ask $body → $status', async ({ ask, documented, method, body, status }) => {
    const served = await serveTools()
    const document = (await served.ask('GET', '/openapi.json')).body
    const answer = await served.ask(method, ask, body)
    expect([answer.status, answer.body]).toEqual([status, expect.anything()])
    expect(faultsOfAnswer(document, documented, method, answer)).toEqual([])
  })

  it('holds for a run that is over, and a check of it can fail', async () => {
    const served = await serveTools()
    const { runId } = (await served.ask('POST', '/api/tools/count/call', { params: { n: 1 } })).body
    const document = (await served.ask('GET', '/openapi.json')).body
    const answer = await served.ask('GET', `/api/runs/${runId}`)
    expect(faultsOfAnswer(document, '/api/runs/{id}', 'GET', answer)).toEqual([])
    const { runId: _, ...without } = answer.body
    expect(faultsOfAnswer(document, '/api/runs/{id}', 'GET', { ...answer, body: without })).not.toEqual([])
  })
})

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly responses: { readonly [status: string]: { readonly content: object } }
}

interface Parameter {
  readonly name: string
  readonly in: string
}

interface Document {
  readonly paths: {
    readonly [path: string]: { readonly [method: string]: Operation } & {
      readonly parameters?: readonly Parameter[]
    }
  }
}

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Faults of one answer by the schema the document has for its status and media type. */
function faultsOfAnswer(document: Document, path: string, method: string, answer: Answered): unknown {
  const responses = document.paths[path]![method.toLowerCase()]!.responses
  const status = String(answer.status) in responses ? String(answer.status) : 'default'
  const type = answer.headers.get('content-type')!.split(';')[0]!
  if (!(type in responses[status]!.content)) return [`${status} is never ${type}`]
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, schemas: { document } })
  const pointer = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const validate = ajv.compile({ $ref: `document#/${pointer}` })
  return validate(answer.body) ? [] : validate.errors
}
