// The TypeScript type of what a literal JSON Schema or a Standard Schema accepts, for `addTool`. What it does not
// understand is `unknown`, never a wrong promise.
import type { StandardSchema } from '../../tool/standard-schema.ts'

interface TypeNames {
  string: string
  number: number
  integer: number
  boolean: boolean
  null: null
}

/**
 * The value that a schema describes.
 *
 * @example
 * type Params = FromSchema<{ type: 'object'; properties: { name: { type: 'string' } }; required: ['name'] }>
 */
export type FromSchema<S> = S extends { readonly const: infer Only }
  ? Only
  : S extends { readonly enum: readonly (infer Member)[] }
    ? Member
    : S extends { readonly anyOf: readonly (infer Variant)[] }
      ? FromSchema<Variant>
      : S extends { readonly oneOf: readonly (infer Variant)[] }
        ? FromSchema<Variant>
        : S extends { readonly type: readonly (infer Name)[] }
          ? Name extends string
            ? FromSchema<Omit<S, 'type'> & { readonly type: Name }>
            : never
          : S extends { readonly type: infer Name }
            ? ByName<S, Name>
            : unknown

type ByName<S, Name> = Name extends keyof TypeNames
  ? TypeNames[Name]
  : Name extends 'array'
    ? S extends { readonly items: infer Items }
      ? FromSchema<Items>[]
      : unknown[]
    : Name extends 'object'
      ? FromProperties<S>
      : unknown

type FromProperties<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      { [Key in RequiredKeys<S> & keyof Properties]: FromSchema<Properties[Key]> } & {
        [Key in Exclude<keyof Properties, RequiredKeys<S>>]?: FromSchema<Properties[Key]>
      }
    >
  : { [key: string]: unknown }

/** What is required, and what has a default, which is filled in before the function is called. */
type RequiredKeys<S> =
  | (S extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | (S extends { readonly properties: infer Properties }
      ? {
          [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never
        }[keyof Properties]
      : never)

type Flat<T> = { [Key in keyof T]: T[Key] }

/** What the function of a tool gets: a literal JSON Schema's value, or what a Standard Schema hands on. */
export type ParamsOf<P> = P extends StandardSchema<infer _Input, infer Output> ? Output : FromSchema<P>
