// OpenAPI documents of all versions as tools, read statically: names, shapes, references, problems with their places.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'

let root: string
let crib: Crib

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'apis-'))
})

afterEach(async () => {
  await crib?.close()
  rmSync(root, { recursive: true, force: true })
})

async function open(files: { [path: string]: string | object }, config: object = {}): Promise<Crib> {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, null, 1))
  }
  crib = await openCrib({ root, env: { HOME: root }, config })
  return crib
}

const head = {
  openapi: '3.0.3',
  info: { title: 'T', version: '7' },
  servers: [{ url: 'https://api.example.com/v2' }],
}
const fine = { responses: { 200: { description: 'fine' } } }
const ids = () => crib.list({ format: 'openapi', all: true }).map(({ id }) => id)

const petstore = `openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
servers:
  - url: https://{region}.example.com/v1
    variables: { region: { default: eu } }
paths:
  /pets/{petId}:
    parameters:
      - $ref: '#/components/parameters/PetId'
    get:
      operationId: getPet
      summary: Finds a pet
      description: Looks it up by its number.
      tags: [pets]
      deprecated: true
      responses:
        '200':
          description: the pet
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
    delete:
      responses: { '204': { description: gone } }
components:
  parameters:
    PetId: { name: petId, in: path, required: true, schema: { type: integer }, example: 4, description: Its number }
  schemas:
    Pet:
      type: object
      required: [name, id]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, nullable: true }
        parent: { $ref: '#/components/schemas/Pet' }
`

describe('an OpenAPI document', () => {
  it('gives one tool per operation, with everything it says', async () => {
    verifies('U10')
    await open({ 'apis/pets.openapi.yaml': petstore })
    expect(ids()).toEqual(['pets/delete_pets_petId', 'pets/getPet'])
    expect(crib.find('pets/getPet')).toMatchObject({
      name: 'pets_getPet',
      title: 'Finds a pet',
      description: 'Deprecated. Finds a pet\n\nLooks it up by its number.\n\nGET /pets/{petId}',
      version: '1.0.0',
      requires: ['net.http:eu.example.com'],
      tags: ['pets', 'deprecated'],
      params: {
        type: 'object',
        properties: { petId: { type: 'integer', description: 'Its number', examples: [4] } },
        required: ['petId'],
        additionalProperties: false,
      },
      returns: {
        $ref: '#/$defs/Pet',
        $defs: {
          Pet: { properties: { name: { type: ['string', 'null'] }, parent: { $ref: '#/$defs/Pet' } } },
        },
      },
      examples: [{ params: { petId: 4 } }],
      source: { file: join(root, 'apis/pets.openapi.yaml'), line: 10 },
      details: { annotations: { readOnlyHint: true, openWorldHint: true } },
    })
    expect(crib.find('pets/delete_pets_petId').details?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
    expect(crib.problems.filter(({ code }) => code.startsWith('openapi'))).toEqual([])
  })

  it.each([
    ['3.1', { ...head, openapi: '3.1.1' }],
    [
      'Swagger 2.0',
      {
        swagger: '2.0',
        info: head.info,
        host: 'api.example.com',
        basePath: '/v2',
        schemes: ['http', 'https'],
      },
    ],
  ])('of %s is read too', async (_name, document) => {
    verifies('U10')
    await open({ 'a.openapi.json': { ...document, paths: { '/x': { get: { operationId: 'x', ...fine } } } } })
    expect(crib.find('a/x').runtime?.plan).toMatchObject({ server: 'https://api.example.com/v2', path: '/x' })
  })

  it('follows references to files beside it, and bounds circles', async () => {
    verifies('U10')
    const circle = { type: 'object', properties: { next: { $ref: '#/Circle' } } }
    await open({
      'api/a.openapi.json': {
        ...head,
        paths: {
          '/x': { $ref: 'paths/x.yaml' },
          '/loop': {
            get: { operationId: 'loop', parameters: [{ $ref: '#/components/parameters/A' }], ...fine },
          },
        },
        components: {
          parameters: { A: { $ref: '#/components/parameters/B' }, B: { $ref: '#/components/parameters/A' } },
        },
      },
      'api/paths/x.yaml':
        'post:\n  operationId: makeX\n  requestBody: { content: { application/json: { schema: { $ref: "../shapes.json#/Circle" } } } }\n  responses: {}\n',
      'api/shapes.json': { Circle: circle },
    })
    expect(crib.find('a/makeX').params).toMatchObject({
      properties: { body: { $ref: '#/$defs/Circle' } },
      $defs: { Circle: { properties: { next: { $ref: '#/$defs/Circle' } } } },
    })
    expect(crib.find('a/makeX').source.files).toEqual(
      ['api/a.openapi.json', 'api/paths/x.yaml', 'api/shapes.json'].map((path) => join(root, path)),
    )
    expect(crib.find('a/loop')).toMatchObject({ state: 'invalid', problems: [{ code: 'openapi-operation' }] })
  })

  it('whose values are of another type than it says can be called all the same', async () => {
    verifies('U10')
    const parameters = [
      { name: 'b', in: 'query', schema: { type: 'boolean', enum: ['true', 'false'] } },
      { name: 'n', in: 'query', schema: { type: 'integer', enum: ['1', '2'] } },
      { name: 't', in: 'query', schema: { type: 'string', enum: [1, 2] } },
      { name: 'l', in: 'query', schema: { type: 'array', items: { type: 'string' }, enum: ['all', 'one'] } },
    ]
    await open({
      'a.openapi.json': { ...head, paths: { '/x': { get: { operationId: 'x', parameters, ...fine } } } },
    })
    expect(crib.find('a/x').params!['properties']).toEqual({
      b: { type: 'boolean', enum: [true, false] },
      n: { type: 'integer', enum: [1, 2] },
      t: { type: 'string', enum: ['1', '2'] },
      l: { type: 'array', items: { type: 'string' } },
    })
  })

  it('says where it is broken, and one broken operation hides no other', async () => {
    verifies('U10')
    await open({
      'bad.openapi.yaml': 'openapi: 3.0.0\npaths:\n  /a: [\n',
      'none.openapi.yaml': 'hello: world\n',
      'half.openapi.yaml': `openapi: 3.0.0
servers: [{ url: https://a.example.com }]
paths:
  /broken:
    get: 7
  /odd:
    get:
      operationId: odd
      parameters:
        - { in: query, schema: {} }
  /fine:
    get: { operationId: fine, parameters: [{ name: p, in: query, schema: { type: text, pattern: '(' } }] }
`,
    })
    expect(ids()).toEqual(['half/fine', 'half/odd'])
    const found = crib.problems.filter(({ code }) => code.startsWith('openapi'))
    expect(found).toContainEqual(
      expect.objectContaining({ file: join(root, 'bad.openapi.yaml'), line: expect.any(Number) }),
    )
    expect(found).toContainEqual(
      expect.objectContaining({ file: join(root, 'none.openapi.yaml'), code: 'openapi-invalid' }),
    )
    expect(found).toContainEqual(
      expect.objectContaining({ message: 'GET /broken is no operation.', line: 5, column: 5 }),
    )
    expect(crib.find('half/odd')).toMatchObject({ state: 'invalid', problems: [{ line: 10 }] })
    expect(crib.find('half/fine')).toMatchObject({ state: 'available', params: { properties: { p: {} } } })
  })

  it('is chosen from by apis, with another server, log-in and a part of its operations', async () => {
    verifies('U10')
    const operation = (operationId: string, tags: string[] = []) => ({ operationId, tags, ...fine })
    await open(
      {
        'docs/api.json': {
          ...head,
          security: [{ a: [] }, { b: [] }],
          components: {
            securitySchemes: { a: { type: 'http', scheme: 'bearer' }, b: { type: 'http', scheme: 'basic' } },
          },
          paths: {
            '/one': { get: operation('one', ['keep']), delete: operation('zap', ['keep']) },
            '/two': { get: operation('two') },
          },
        },
      },
      {
        apis: {
          'my api': {
            spec: './docs/api.json',
            server: 'https://test.example.com/',
            auth: 'b',
            include: ['#keep'],
            exclude: ['DELETE /**'],
          },
          gone: { spec: 'nowhere.yaml' },
        },
      },
    )
    expect(ids()).toEqual(['my-api/one'])
    expect(crib.find('my-api/one')).toMatchObject({
      secrets: ['MY_API_B'],
      runtime: { plan: { server: 'https://test.example.com', credentials: [{ kind: 'basic' }] } },
    })
    expect(crib.problems).toContainEqual(
      expect.objectContaining({ code: 'openapi-missing', message: expect.stringContaining('nowhere.yaml') }),
    )
  })

  it('with a thousand operations is found by summary, path and parameter', async () => {
    verifies('U13')
    const paths = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [
        `/things${n}/list`,
        {
          get: {
            operationId: `op${n}`,
            summary: n === 7 ? 'Fetches zebras' : 'Other',
            parameters: [{ name: n === 8 ? 'giraffe' : 'p', in: 'query', schema: {} }],
            ...fine,
          },
        },
      ]),
    )
    await open({ 'big.openapi.json': { ...head, paths } })
    expect(ids()).toHaveLength(1_000)
    const first = async (query: string) => (await crib.search(query))[0]?.tool.id
    expect(await first('zebras')).toBe('big/op7')
    expect(await first('giraffe')).toBe('big/op8')
    expect(await first('things42')).toBe('big/op42')
  })

  it.each([
    ['a circle of allOf', { A: { allOf: [{ $ref: '#/components/schemas/A' }] } }],
    ['a deep nest', { A: JSON.parse(`${'{"items":'.repeat(150)}{}${'}'.repeat(150)}`) }],
    [
      'a wide shape',
      {
        A: {
          properties: Object.fromEntries(
            Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
          ),
        },
      },
    ],
    ['a name that is no name', { A: { properties: { ['__proto__']: { type: 'string' } } } }],
  ])('with %s ends, and its tool can be called', async (_name, schemas) => {
    await open({
      'a.openapi.json': {
        ...head,
        components: { schemas },
        paths: {
          '/x': {
            post: {
              operationId: 'x',
              requestBody: {
                content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } },
              },
              ...fine,
            },
          },
        },
      },
    })
    const refused = await crib.refusals('a/x', { body: {} })
    expect(refused.map(({ check }) => check)).toEqual(['grants'])
  })
})

it('takes a closed part of a shape as open where it is closed to the other parts, and says so', async () => {
  verifies('U10')
  const closed = (name: string) => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string' } },
    additionalProperties: false,
  })
  const schema = { allOf: [{ $ref: '#/components/schemas/Base' }, closed('b')] }
  const content = { 'application/json': { schema } }
  const alone = { 'application/json': { schema: { $ref: '#/components/schemas/Base' } } }
  const files = {
    'a.openapi.json': {
      ...head,
      servers: [{ url: 'http://127.0.0.1:9' }],
      paths: {
        '/both': { post: { operationId: 'both', requestBody: { content }, ...fine } },
        '/one': { post: { operationId: 'one', requestBody: { content: alone }, ...fine } },
      },
      components: { schemas: { Base: closed('a') } },
    },
  }
  await open(files, { grants: { tools: { 'a/*': ['net.http:127.0.0.1'] } } })
  const codeOf = async (id: string, body: object) => {
    const outcome = await crib.call(id, { body })
    return outcome.ok ? '' : outcome.error.code
  }
  expect(await codeOf('a/both', { a: 'x', b: 'y' })).not.toBe('PARAMS_INVALID')
  expect(await codeOf('a/both', { a: 'x' })).toBe('PARAMS_INVALID')
  expect(await codeOf('a/one', { a: 'x', b: 'y' })).toBe('PARAMS_INVALID')
  expect(crib.find('a/both').problems).toMatchObject([
    { code: 'openapi-operation', severity: 'warning', message: expect.stringContaining('allOf') },
  ])
  expect(crib.find('a/one').problems).toEqual([])
})
