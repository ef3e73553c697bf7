// A route is declared once, with `route`: app.ts serves what is declared and open-api.ts documents it, so there is
// no route that only one of them knows.

import type { Principal } from '../../tool/principal.ts'
import { compileSchema } from '../../tool/schema/compile-schema.ts'
import { describeViolations } from '../../tool/schema/validate.ts'
import { type ObjectShape, type Static, schemaOf, type TSchema } from '../../tool/shape.ts'
import type { AppParts } from './app.ts'
import { HttpProblem } from './problem-json.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type QueryShape = ObjectShape<{ readonly [name: string]: TSchema }>
type NameAt<Rest extends string> = Rest extends `${infer Name}{${string}`
  ? NameAt<Name>
  : Rest extends `${infer Name}/${string}`
    ? Name
    : Rest
type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? NameAt<Rest> | ParamNames<Rest>
  : never

/** Who may ask. */
export interface Access {
  readonly needs: 'nothing' | 'token' | 'admin' | 'secrets.read' | 'secrets.write'
  /** Throws where the token does not suffice. */
  check?(principal: Principal): void
}

/** What a request says, read and checked as declared. */
export interface Asked<Path extends string, Query, Body> {
  readonly principal: Principal
  readonly params: { readonly [name in ParamNames<Path>]: string }
  readonly query: Query
  readonly request: Request
  /** Read where the handler wants it, so that rights are judged before what was sent. */
  body(): Promise<Body>
}

export interface BodyDeclaration<T> {
  readonly shape: TSchema
  readonly isRequired: boolean
  readonly maxBytes?: number
  check(given: unknown): T
}

/** One way to answer: the shape of each media type. */
export interface Answer<T = unknown> {
  readonly description: string
  readonly content: { readonly [type: string]: TSchema }
  /** Of the JSON; only its type is used. */
  readonly value?: T
}

interface Answers {
  readonly [status: number]: Answer
  /** A failure that is answered with more than a problem. */
  readonly default?: Answer
}

type ValueOf<A extends Answers> = A[keyof A] extends Answer<infer T> ? T : never

/** A value with headers of its own. */
export class Reply<T> {
  readonly value: T
  readonly headers: { readonly [name: string]: string }

  constructor(value: T, headers: { readonly [name: string]: string }) {
    this.value = value
    this.headers = headers
  }
}

interface Declaration<Path extends string, Query, Body, A extends Answers> {
  /** The operation's name in the OpenAPI document. */
  readonly id: string
  readonly method: Method
  /** `:id` is one part of a path, `:id{.+}` may contain slashes. */
  readonly path: Path
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** What the names in the path mean. */
  readonly params?: { readonly [name in ParamNames<Path>]: string }
  readonly query?: Query
  readonly headers?: { readonly [name: string]: string }
  readonly body?: BodyDeclaration<Body>
  /** The first is what a plain value is answered with. */
  readonly answers: A
  /** What is answered is never to be kept by a cache. */
  readonly isPrivate?: true
  /** Absent: always. */
  isServed?(parts: AppParts): boolean
  handle(
    asked: Asked<Path, Query extends TSchema ? Static<Query> : unknown, Body>,
    parts: AppParts,
  ): Handled<ValueOf<A>> | Promise<Handled<ValueOf<A>>>
}

type Handled<T> = T | Reply<T> | Response

/** A declared route; what its handler takes is known to its declaration only. */
export interface Route extends Omit<Declaration<string, QueryShape, unknown, Answers>, 'handle' | 'params'> {
  readonly params?: { readonly [name: string]: string }
  handle(asked: Asked<string, never, never>, parts: AppParts): unknown
}

export function route<
  Path extends string,
  A extends Answers,
  Query extends QueryShape = QueryShape,
  Body = unknown,
>(declaration: Declaration<Path, Query, Body, A>): Route {
  return declaration
}

/** An answer in JSON. */
export function json<S extends TSchema>(description: string, shape: S): Answer<Static<S>> {
  return { description, content: { 'application/json': shape } }
}

/** A body that is checked by its shape: 400 with every violation. */
export function checkedBody<S extends TSchema>(shape: S, isRequired: boolean): BodyDeclaration<Static<S>> {
  return { shape, isRequired, check: (given) => checkBody(isRequired ? given : (given ?? {}), shape) }
}

/** A body that is judged where it is used; `check` gives it back or refuses it. */
export function ownBody<T = unknown>(
  shape: TSchema,
  options: { readonly maxBytes?: number; check?(given: unknown): T } = {},
): BodyDeclaration<T> {
  return {
    shape,
    isRequired: true,
    maxBytes: options.maxBytes,
    check: options.check ?? ((given) => given as T),
  }
}

function checkBody<S extends TSchema>(body: unknown, shape: S): Static<S> {
  const violations = compileSchema(schemaOf(shape), { fillDefaults: false }).violations(body)
  if (violations.length === 0) return body as Static<S>
  const isWhole = violations.some((violation) => violation.pointer === '')
  const fault = isWhole ? 'it must be a JSON object' : describeViolations(violations)
  throw new HttpProblem('BODY_INVALID', `The body is not valid: ${fault}.`, { details: violations })
}
