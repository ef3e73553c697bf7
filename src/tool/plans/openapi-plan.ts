// What an operation of an API hands to the openapi runtime: how its request is written.
import type { JsonObject } from '../json.ts'

export type ParamPlace = 'path' | 'query' | 'header' | 'cookie'
export type ParamStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject'

export interface ApiParam {
  /** Its name in the request. */
  readonly name: string
  /** Its name among the tool's parameters. */
  readonly as: string
  readonly in: ParamPlace
  readonly style: ParamStyle
  readonly explode: boolean
  /** Characters such as `/` and `?` go out as they are. */
  readonly allowReserved?: boolean
  /** A media type: the value goes out as text of that type. */
  readonly content?: string
}

export interface ApiBody {
  readonly mediaType: string
  readonly kind: 'json' | 'form' | 'multipart' | 'text' | 'binary'
  /** Of a form or multipart body: properties that name a file of the project. */
  readonly files?: readonly string[]
  /** How single properties of a form are written. */
  readonly encoding?: { readonly [property: string]: JsonObject }
}

/** A secret and where it goes. */
export interface ApiCredential {
  readonly secret: string
  readonly kind: 'header' | 'query' | 'cookie' | 'basic' | 'bearer'
  /** Name of the header, query parameter or cookie. */
  readonly name?: string
  /** Where a client gets a token (OAuth), and for which scopes. */
  readonly tokenUrl?: string
  /** Where a person lets the client in; absent: it gets in by its password alone. */
  readonly authorizationUrl?: string
  readonly scopes?: readonly string[]
}

export interface OpenApiPlan {
  readonly api: string
  readonly method: string
  /** Address that the path is added to; no `/` at its end. */
  readonly server: string
  readonly path: string
  readonly params: readonly ApiParam[]
  readonly body?: ApiBody
  /** All of them are sent. */
  readonly credentials: readonly ApiCredential[]
  /** What the operation answers with, for the Accept header. */
  readonly accept: string
  /** The name of the parameter that says how many pages are fetched, where the answer may have several. */
  readonly pages?: string
}
