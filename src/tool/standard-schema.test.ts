import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { verifies } from '../../test/helpers/verifies.ts'
import { isStandardSchema, jsonSchemaOf, parseWith } from './standard-schema.ts'

describe.each([
  ['Zod', z.object({ name: z.string() })],
  ['ArkType', type({ name: 'string' })],
  ['Valibot', toStandardJsonSchema(v.object({ name: v.string() }))],
])('a schema of %s', (_, schema) => {
  verifies('D14')

  it('is known as one and writes itself as JSON Schema', () => {
    expect(isStandardSchema(schema)).toBe(true)
    expect(jsonSchemaOf(schema as never, 'greet')).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    })
  })

  it('refuses with the place of each fault', async () => {
    await expect(parseWith(schema as never, { name: 7 }, 'greet')).rejects.toMatchObject({
      code: 'PARAMS_INVALID',
      details: { violations: [{ pointer: '/name' }], count: 1 },
    })
  })
})

it('hands on what a schema makes of a value', async () => {
  const schema = z.object({ n: z.number().default(3), at: z.string().transform((text) => text.length) })
  expect(await parseWith(schema, { at: 'four' }, 'x')).toEqual({ n: 3, at: 4 })
})

it('says how to give a schema that cannot write itself', () => {
  expect(() => jsonSchemaOf(v.object({}) as never, 'greet')).toThrow(
    /schema of valibot, which does not write itself/,
  )
})

it('takes plain JSON Schema for what it is', () => {
  expect(isStandardSchema({ type: 'object' })).toBe(false)
  expect(isStandardSchema(null)).toBe(false)
})
