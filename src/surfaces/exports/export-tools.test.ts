// Definitions for other systems: their shape, what they lose, and that whatever a model may send by them maps
// back to parameters the tool takes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { isPlainObject } from '../../tool/json.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'
import { type Dialect, gemini, ollama, openAiStrict } from './dialect.ts'
import { exportTools } from './export-tools.ts'
import { valuesOf } from './fixtures/values-of.ts'
import { type Provider, providerNames, providers } from './providers.ts'
import { rewriteSchema } from './rewrite-schema.ts'
import { asJsonSchema } from './rewriting.ts'

const object = (properties: object, rest: object = {}): JsonSchema =>
  ({ type: 'object', properties, ...rest }) as JsonSchema

function tool(params: JsonSchema | null, id = 'text/count', description = 'Counts'): Tool {
  return makeTool({
    id,
    description,
    params,
    format: 'rye',
    tier: 'project',
    source: { file: null, digest: '' },
  })
}

function violations(schema: JsonSchema, value: unknown): unknown[] {
  return compileSchema(asJsonSchema(schema) as JsonSchema, { fillDefaults: false }).violations(value)
}

const strict = (schema: JsonSchema) => rewriteSchema(schema, openAiStrict)

describe('definitions', () => {
  const params = object(
    { text: { type: 'string' }, limit: { type: 'integer', default: 10 } },
    { required: ['text'] },
  )

  it.each([
    [
      'openai',
      {
        type: 'function',
        function: { name: 'text_count', strict: true, parameters: { required: ['text', 'limit'] } },
      },
    ],
    [
      'openai-responses',
      { type: 'function', name: 'text_count', strict: true, parameters: { additionalProperties: false } },
    ],
    ['anthropic', { name: 'text_count', description: 'Counts', input_schema: params }],
    [
      'ollama',
      {
        type: 'function',
        function: { name: 'text_count', parameters: { type: 'object', required: ['text'] } },
      },
    ],
    ['ai-sdk', { name: 'text_count', description: 'Counts', inputSchema: params }],
    ['gemini', { name: 'text_count', parameters: { type: 'object', required: ['text'] } }],
    ['mcp', { name: 'text_count', inputSchema: params, annotations: expect.any(Object) }],
  ] as const)('for %s have its shape', (provider, expected) => {
    expect(exportTools([tool(params)], provider).definitions).toMatchObject([expected])
  })

  it.each(providerNames)('for %s leave out a description that is not there', (provider) => {
    verifies('T50')
    const [definition] = exportTools([tool(null, 'bare', '')], provider).definitions
    expect(JSON.stringify(definition)).not.toContain('description')
  })

  it('for ollama have properties, if none', () => {
    verifies('T20')
    const [definition] = exportTools([tool(null)], 'ollama').definitions
    expect(definition).toMatchObject({ function: { parameters: { type: 'object', properties: {} } } })
  })

  it('are made by what a plugin brings, too', () => {
    const menu = { name: 'menu', definition: (_: unknown, name: string) => ({ item: name }) }
    expect(exportTools([tool(null)], 'menu', [menu]).definitions).toEqual([{ item: 'text_count' }])
  })

  it.each(providerNames)('for %s are the same every time', (provider) => {
    const write = () =>
      JSON.stringify(
        exportTools([tool(params), tool(null, 'a'), tool({ type: 'object' }, 'b')], provider).definitions,
      )
    expect(write()).toBe(write())
  })

  it('for gemini leave parameters out where there are none, and rename what does not fit', () => {
    const { definitions, toCall } = exportTools(
      [tool(null, '7zip'), tool(object({ 'a-b': { type: 'string' } }), 'x')],
      'gemini',
    )
    expect(definitions[0]).toEqual({ name: '_7zip', description: 'Counts' })
    expect(definitions[1]).toMatchObject({ parameters: { properties: { a_b: { type: 'string' } } } })
    expect(toCall('x', { a_b: 'c' }).params).toEqual({ 'a-b': 'c' })
    expect(toCall('_7zip').tool.id).toBe('7zip')
  })

  it('for anthropic have no alternatives at the root and plain property names', () => {
    const { definitions, losses, toCall } = exportTools(
      [
        tool(
          object(
            { 'über name': { type: 'string' } },
            { anyOf: [{ required: ['a'] }], required: ['über name'] },
          ),
        ),
      ],
      'anthropic',
    )
    expect(definitions).toEqual([
      {
        name: 'text_count',
        description: 'Counts',
        input_schema: {
          type: 'object',
          properties: { _ber_name: { type: 'string' } },
          required: ['_ber_name'],
        },
      },
    ])
    expect(losses.map((loss) => loss.effect)).toEqual(['wider', 'encoded'])
    expect(toCall('text_count', { _ber_name: 'x' }).params).toEqual({ 'über name': 'x' })
  })

  it('cut a description that the API refuses, and name it and too many tools as losses', () => {
    verifies('U2a')
    const long = { ...tool(params), description: 'x'.repeat(3_000) }
    const many = Array.from({ length: 130 }, (_, n) => ({ ...tool(params), id: `t${n}`, name: `t${n}` }))
    const { definitions, losses } = exportTools([long, ...many], 'openai')
    expect(definitions[0]).toMatchObject({ function: { description: expect.stringMatching(/^x{1023}…$/) } })
    expect(losses.filter(({ effect }) => effect === 'cut').map(({ keyword }) => keyword)).toEqual([
      'description',
      'tools',
    ])
    expect(exportTools([long], 'anthropic').losses).toEqual([])
  })

  it('take JSON text as arguments and say what is wrong with it', () => {
    const { toCall } = exportTools([tool(params)], 'openai')
    expect(toCall('text_count', '{"text":"a","limit":null}').params).toEqual({ text: 'a' })
    expect(toCall('text_count', '').params).toEqual({})
    expect(() => toCall('text_count', '{')).toThrow(expect.objectContaining({ code: 'PARAMS_INVALID' }))
    expect(() => toCall('text_coun')).toThrow(
      expect.objectContaining({ code: 'TOOL_NOT_FOUND', hint: expect.stringContaining('text_count') }),
    )
  })

  it('refuse a system that does not exist', () => {
    expect(() => exportTools([], 'clippy' as Provider)).toThrow(/no export for "clippy"/)
  })
})

describe('strict mode of OpenAI', () => {
  it('makes what is optional nullable and takes null as not given', () => {
    const { schema, restore, losses } = strict(
      object(
        { a: { type: 'string' }, b: { enum: ['x', 'y'] }, c: { type: 'array', items: { type: 'number' } } },
        { required: ['a'] },
      ),
    )
    expect(schema).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { anyOf: [{ type: 'string', enum: ['x', 'y'] }, { type: 'null' }] },
        c: { type: ['array', 'null'], items: { type: 'number' } },
      },
      required: ['a', 'b', 'c'],
      additionalProperties: false,
    })
    expect(losses).toEqual([])
    expect(restore({ a: 'x', b: null, c: null })).toEqual({ a: 'x' })
  })

  it('says in words what it has no keyword for', () => {
    const { schema, losses } = strict(
      object({ a: { type: 'string', description: 'A name', minLength: 2, default: 'Ada' } }),
    )
    expect(schema['properties']).toEqual({
      a: { type: ['string', 'null'], description: 'A name. minLength: 2. Default: "Ada".' },
    })
    expect(losses).toEqual([
      {
        pointer: '/properties/a',
        keyword: 'minLength',
        effect: 'wider',
        message: 'minLength is said in words only',
      },
    ])
  })

  it('sends maps as entries, fixed lists as objects and free values as JSON text, and maps them back', () => {
    const { schema, restore, losses } = strict(
      object(
        {
          map: { type: 'object', additionalProperties: { type: 'number' } },
          pair: {
            type: 'array',
            prefixItems: [{ type: 'string' }, { type: 'number' }],
            minItems: 2,
            items: false,
          },
          any: {},
        },
        { required: ['map', 'pair', 'any'] },
      ),
    )
    const given = {
      map: [
        { key: '__proto__', value: 1 },
        { key: 'b', value: 2 },
      ],
      pair: { item_1: 'x', item_2: 3 },
      any: '{"deep":[1]}',
    }
    expect(violations(schema, given)).toEqual([])
    expect(JSON.stringify(restore(given))).toBe(
      '{"map":{"__proto__":1,"b":2},"pair":["x",3],"any":{"deep":[1]}}',
    )
    expect(losses.every((loss) => loss.effect === 'encoded')).toBe(true)
  })

  it('keeps recursion, and chooses the alternative a value fits when mapping back', () => {
    const { schema, restore, losses } = strict({
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' } },
      required: ['tree'],
      $defs: {
        node: {
          anyOf: [
            { type: 'string' },
            {
              type: 'object',
              properties: {
                label: { type: 'string' },
                children: { type: 'array', items: { $ref: '#/$defs/node' } },
              },
              required: ['children'],
            },
          ],
        },
      },
    })
    const given = { tree: { label: null, children: ['leaf', { label: 'x', children: [] }] } }
    expect(violations(schema, given)).toEqual([])
    expect(restore(given)).toEqual({ tree: { children: ['leaf', { label: 'x', children: [] }] } })
    expect(losses).toEqual([])
  })

  it('is off for a tool that takes any parameters', () => {
    const { definitions, losses } = exportTools([tool({ type: 'object' })], 'openai')
    expect(definitions).toMatchObject([{ function: { strict: false, parameters: { type: 'object' } } }])
    expect(losses).toMatchObject([{ effect: 'wider', tool: 'text/count' }])
  })

  it('joins allOf, and reports alternatives that may overlap', () => {
    const joined = strict(
      object(
        {
          a: {
            allOf: [
              { type: 'integer', minimum: 1 },
              { minimum: 3, maximum: 9 },
            ],
          },
        },
        { required: ['a'] },
      ),
    )
    expect(joined.schema['properties']).toEqual({ a: { type: 'integer', minimum: 3, maximum: 9 } })
    expect(joined.losses).toEqual([])
    const overlapping = strict(
      object({ a: { oneOf: [{ type: 'integer' }, { type: 'number', minimum: 5 }] } }),
    )
    expect(overlapping.losses).toMatchObject([{ keyword: 'oneOf', effect: 'wider' }])
    const apart = strict(object({ a: { oneOf: [{ type: 'integer' }, { type: 'string' }] } }))
    expect(apart.losses).toEqual([])
  })
})

describe('Gemini', () => {
  it('gets texts for enumerations of numbers, nullable for null and references written out', () => {
    const { schema, restore } = rewriteSchema(
      {
        type: 'object',
        properties: {
          level: { enum: [1, 2, null] },
          place: { $ref: '#/$defs/place' },
          either: { type: ['string', 'number'] },
        },
        required: ['level'],
        $defs: { place: { type: 'object', properties: { city: { type: 'string', format: 'hostname' } } } },
      },
      gemini,
    )
    expect(schema).toEqual({
      type: 'object',
      properties: {
        level: { type: 'string', enum: ['1', '2'], nullable: true },
        place: {
          type: 'object',
          properties: { city: { type: 'string', description: 'format: "hostname".' } },
        },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      },
      required: ['level'],
    })
    expect(restore({ level: '2', place: { city: 'x' } })).toEqual({ level: 2, place: { city: 'x' } })
    expect(restore({ level: null })).toEqual({ level: null })
  })

  it('gets everything as one JSON text where any parameters are taken', () => {
    const { schema, restore } = rewriteSchema({ type: 'object' }, gemini)
    expect(schema).toMatchObject({ required: ['arguments_json'] })
    expect(restore({ arguments_json: '{"a":1}' })).toEqual({ a: 1 })
    expect(restore({ arguments_json: '{' })).toEqual({ arguments_json: '{' })
  })
})

/** Schemas that can be said in every dialect without making it wider. */
const soundSchema = fc.letrec<{ node: object; object: object }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      { type: 'string' },
      { type: 'integer' },
      { type: 'number' },
      { type: 'boolean' },
      {},
      { type: ['string', 'null'] },
    ),
    fc
      .uniqueArray(fc.constantFrom('a', 'b', '1', 1, 2.5, true, null, [1], { x: 1 }), {
        minLength: 1,
        maxLength: 4,
        comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
      })
      .map((values) => ({ enum: values })),
    fc.constantFrom({ const: 'only' }, { const: 3 }),
    fc.record({ type: fc.constant('array'), items: tie('node') }),
    tie('node').map((rule) => ({
      type: 'object',
      additionalProperties: Object.keys(rule).length > 0 ? rule : { type: 'string' },
    })),
    fc
      .array(tie('node'), { minLength: 1, maxLength: 3 })
      .map((prefixItems) => ({ type: 'array', prefixItems, minItems: prefixItems.length, items: false })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.constant({ $ref: '#/$defs/tree' }),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c-d', 'é', '__proto__', 'constructor', '1st'), tie('node'), {
        minKeys: 1,
        maxKeys: 4,
      }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    )
    .map(([properties, isRequired]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).filter((_, index) => isRequired[index]),
    })),
}))

const tree = {
  type: 'object',
  properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
  required: ['label'],
}

const soundRoot = soundSchema.object.map((root) => ({ ...root, $defs: { tree } }) as unknown as JsonSchema)

const lossyRoot = fc
  .tuple(
    soundRoot,
    fc.constantFrom(
      { type: 'string', pattern: '^a+$', minLength: 2 },
      { type: 'integer', multipleOf: 3 },
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { type: 'object', patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      { type: 'object', properties: { p: { type: 'string' } }, dependentRequired: { p: ['q'] } },
      { not: { type: 'string' } },
      { allOf: [{ type: 'string' }, { not: { const: 'x' } }] },
      { type: 'object' },
    ),
  )
  .map(
    ([root, lossy]) =>
      ({ ...root, properties: { ...(root['properties'] as object), lossy } }) as unknown as JsonSchema,
  )

const dialects: [string, Dialect][] = [
  ['OpenAI strict', openAiStrict],
  ['Gemini', gemini],
  ['Ollama', ollama],
]

describe.each(dialects)('whatever fits the schema for %s', (_name, dialect) => {
  const sample = (root: JsonSchema) => {
    const rewritten = rewriteSchema(root, dialect)
    return { rewritten, values: fc.sample(valuesOf(rewritten.schema), 4) }
  }

  it('maps back to parameters the tool takes, when nothing became wider', () => {
    let sound = 0
    fc.assert(
      fc.property(soundRoot, (root) => {
        const { rewritten, values } = sample(root)
        if (rewritten.losses.some((loss) => loss.effect === 'wider')) return
        for (const value of values) {
          sound++
          expect(violations(rewritten.schema, value)).toEqual([])
          expect(violations(root, rewritten.restore(value))).toEqual([])
        }
      }),
      { numRuns: 150 },
    )
    expect(sound).toBeGreaterThan(100)
  })

  it('is valid in its own words, uses only words of the dialect, and maps back without throwing', () => {
    fc.assert(
      fc.property(lossyRoot, (root) => {
        const { rewritten, values } = sample(root)
        expect(strangers(rewritten.schema, dialect)).toEqual([])
        for (const value of values) {
          expect(violations(rewritten.schema, value)).toEqual([])
          rewritten.restore(value)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('is never lost in silence: parameters the tool refuses come with a loss that says so', () => {
    fc.assert(
      fc.property(lossyRoot, (root) => {
        const { rewritten, values } = sample(root)
        const isWider = rewritten.losses.some((loss) => loss.effect === 'wider')
        for (const value of values)
          if (!isWider) expect(violations(root, rewritten.restore(value))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})

const structural = ['type', 'enum', 'items', 'properties', 'required', 'anyOf']

/** Keywords of a rewritten schema that the dialect does not have, and objects that break its rules. */
function strangers(schema: unknown, dialect: Dialect): string[] {
  if (!isPlainObject(schema)) return []
  const known = new Set([
    ...structural,
    ...dialect.keywords,
    ...(dialect.isClosed ? ['additionalProperties', '$ref', '$defs'] : []),
    ...(dialect.nullBy === 'keyword' ? ['nullable'] : []),
    ...(dialect.formats.size > 0 ? ['format'] : []),
    'description',
  ])
  const own = Object.keys(schema).filter((keyword) => !known.has(keyword))
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {}
  if (dialect.isClosed && [schema['type']].flat().includes('object')) {
    if (schema['additionalProperties'] !== false) own.push('open object')
    if (JSON.stringify(schema['required'] ?? []) !== JSON.stringify(Object.keys(properties)))
      own.push('optional property')
  }
  if (dialect === gemini && Array.isArray(schema['type'])) own.push('list of types')
  const parts = [
    ...Object.values(properties),
    ...Object.values(isPlainObject(schema['$defs']) ? schema['$defs'] : {}),
    schema['items'],
    ...(Array.isArray(schema['anyOf']) ? schema['anyOf'] : []),
  ]
  return [...own, ...parts.flatMap((part) => strangers(part, dialect))]
}

it('leaves the tool itself as it was', () => {
  const params = object({ a: { type: 'string', minLength: 1 } })
  const before = JSON.stringify(params)
  for (const provider of providerNames) providers[provider].schema?.(params)
  expect(JSON.stringify(params)).toBe(before)
})
