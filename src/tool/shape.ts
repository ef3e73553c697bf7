// Declares shapes with TypeBox. A shape is a JSON Schema whose TypeScript type is `Static<typeof shape>`, so a
// field is written down once: types, validation, editor schemas, OpenAPI and the docs come from it.
import {
  Array as arrayType,
  Boolean as booleanType,
  Integer,
  Number as numberType,
  Optional,
  Object as objectType,
  type SchemaOptions,
  type Static,
  String as stringType,
  type TOptional,
  type TSchema,
  type TUnsafe,
  Unsafe,
} from '@sinclair/typebox'

import type { JsonObject } from './json.ts'

export type { Static, TSchema } from '@sinclair/typebox'

type Fields = { readonly [name: string]: TSchema }
type OptionalNames<F> = { [K in keyof F]: F[K] extends TOptional<TSchema> ? K : never }[keyof F]
type FieldTypes<F extends Fields> = {
  readonly [K in keyof F as K extends OptionalNames<F> ? never : K]: Static<F[K]>
} & { readonly [K in keyof F as K extends OptionalNames<F> ? K : never]?: Static<F[K]> }
type Flat<T> = { [K in keyof T]: T[K] }

/** An object with these fields, all of them readonly in its type. */
export interface ObjectShape<F extends Fields> extends TSchema {
  static: Flat<FieldTypes<F>>
  readonly properties: F
}

const componentName = Symbol('component')

/** The builders of shapes. */
export const t = {
  text: (options?: SchemaOptions) => stringType(options),
  /** RFC 3339. */
  time: (options?: SchemaOptions) => stringType({ format: 'date-time', ...options }),
  integer: (options?: SchemaOptions) => Integer(options),
  number: (options?: SchemaOptions) => numberType(options),
  boolean: (options?: SchemaOptions) => booleanType(options),
  /** Whatever it is; the type says more than the schema can. */
  any: <T = unknown>(options?: SchemaOptions): TUnsafe<T> => Unsafe<T>(options ?? {}),
  /** An object of which only the type is known. */
  anyObject: <T = { readonly [key: string]: unknown }>(options?: SchemaOptions): TUnsafe<T> =>
    Unsafe<T>({ type: 'object', ...options }),
  oneOf: <const T extends readonly (string | number)[]>(values: T, options?: SchemaOptions) =>
    Unsafe<T[number]>({ enum: values, ...options }),
  only: <const T extends string | number | boolean>(value: T, options?: SchemaOptions) =>
    Unsafe<T>({ const: value, ...options }),
  list: <T extends TSchema>(items: T, options?: SchemaOptions) =>
    Unsafe<readonly Static<T>[]>(arrayType(items, options)),
  /** An object whose keys are the user's own. */
  map: <T extends TSchema>(values: T, options?: SchemaOptions) =>
    Unsafe<{ readonly [key: string]: Static<T> }>({
      type: 'object',
      additionalProperties: values,
      ...options,
    }),
  either: <T extends readonly TSchema[]>(shapes: readonly [...T], options?: SchemaOptions) =>
    Unsafe<Static<T[number]>>({ anyOf: shapes, ...options }),
  orNull: <T extends TSchema>(shape: T, options?: SchemaOptions) =>
    Unsafe<Static<T> | null>({ anyOf: [shape, { type: 'null' }], ...options }),
  optional: <T extends TSchema>(shape: T) => Optional(shape) as TSchema as TOptional<T>,
  /** More fields than these may be there. */
  object: <F extends Fields>(fields: F, options?: SchemaOptions) =>
    objectType(fields, options) as TSchema as ObjectShape<F>,
  /** No other fields than these. */
  closed: <F extends Fields>(fields: F, options?: SchemaOptions) =>
    objectType(fields, { additionalProperties: false, ...options }) as TSchema as ObjectShape<F>,
}

/** A shape that the OpenAPI document has under a name of its own. */
export function named<T extends TSchema>(name: string, shape: T): T {
  return { ...shape, [componentName]: name }
}

/** The name that `named` gave. */
export function nameOf(shape: object): string | undefined {
  return (shape as { readonly [componentName]?: string })[componentName]
}

/** The shape as JSON Schema, for those who validate and print; what only TypeBox sees of it is in symbols. */
export function schemaOf(shape: TSchema): JsonObject {
  return shape as object as JsonObject
}
