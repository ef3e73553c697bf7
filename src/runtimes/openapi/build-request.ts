// From the arguments of a call to the request that its operation is.
import { secretPlaceholder } from '../../sandbox/reveal-secrets.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { ApiParam, OpenApiPlan } from '../../tool/plans/openapi-plan.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { OutgoingRequest } from '../http-exchange.ts'
import { buildBody, type ReadFile } from './build-body.ts'
import { cookieParts, headerText, pathText, plainText, queryParts } from './serialise.ts'

export interface RequestParts {
  readonly plan: OpenApiPlan
  readonly args: { readonly [name: string]: unknown }
  /** Gives a secret, or what stands for it. */
  secret(name: string): string
  readonly readFile: ReadFile
}

export function buildRequest({ plan, args, secret, readFile }: RequestParts): OutgoingRequest {
  // What stands behind `#` tells operations of one path apart, and is not sent.
  let target = plan.path.replace(/#.*$/s, '')
  const query: string[] = []
  const cookies: string[] = []
  const headers: Record<string, string> = { accept: plan.accept, 'user-agent': 'toolcrib' }
  for (const param of plan.params) {
    const given = args[param.as]
    if (given === undefined) continue
    const value = param.content === undefined ? given : contentText(param, given)
    if (param.in === 'path') target = target.replaceAll(`{${param.name}}`, () => pathPart(param, value))
    else if (param.in === 'query') query.push(...queryParts(param.name, value, param))
    else if (param.in === 'cookie') cookies.push(...cookieParts(param.name, value, param))
    else setHeader(headers, param.name, headerText(param, value))
  }
  const body =
    plan.body && args['body'] !== undefined ? buildBody(plan.body, args['body'], readFile) : undefined
  if (body) headers['content-type'] = body.type
  const secretHeader = addCredentials({ plan, secret, headers, query, cookies })
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  const mark = target.includes('?') ? '&' : '?'
  const url = new URL(`${plan.server}${target}${query.length > 0 ? mark : ''}${query.join('&')}`)
  return { method: plan.method, url, headers, body: body?.bytes, secretHeader }
}

function contentText({ content }: ApiParam, value: unknown): string {
  return /json/i.test(content!) ? JSON.stringify(value) : plainText(value)
}

/** A part of the path never becomes a step up, nor nothing at all. */
function pathPart(param: ApiParam, value: unknown): string {
  const text = pathText(param, value)
  if (text !== '' && text !== '.' && text !== '..') return text.replace(/^\.\.?$/, '')
  throw new ToolError(
    'PARAMS_INVALID',
    `"${param.as}" would leave the path of the request without its part; nothing was sent.`,
    {
      details: { violations: [{ pointer: `/${param.as}`, message: 'must not be empty, "." or ".."' }] },
    },
  )
}

interface CredentialTargets {
  readonly plan: OpenApiPlan
  secret(name: string): string
  readonly headers: Record<string, string>
  readonly query: string[]
  readonly cookies: string[]
}

/** Puts secrets where their schemes say; gives the name of a header of their own that carries one. */
function addCredentials({ plan, secret, headers, query, cookies }: CredentialTargets): string | null {
  let own: string | null = null
  for (const { secret: name, kind, name: place } of plan.credentials) {
    const value = secret(name)
    if (kind === 'bearer') headers['authorization'] = `Bearer ${value}`
    else if (kind === 'basic')
      headers['authorization'] =
        `Basic ${value === secretPlaceholder(name) ? value : Buffer.from(value).toString('base64')}`
    else if (kind === 'query') query.push(...queryParts(place!, value, { style: 'form', explode: true }))
    else if (kind === 'cookie') cookies.push(`${place}=${value}`)
    else {
      setHeader(headers, place!, value)
      own = place!.toLowerCase()
    }
  }
  return own
}

function setHeader(headers: Record<string, string>, name: string, value: string): void {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new ToolError(
      'PARAMS_INVALID',
      `The header ${name} would have a line break or a character HTTP does not allow.`,
      { details: { header: name } },
    )
  headers[name.toLowerCase()] = value
}

/** The arguments of a call without what is no part of the request. */
export function argsOf(params: unknown): { readonly [name: string]: unknown } {
  return isPlainObject(params) ? params : {}
}
