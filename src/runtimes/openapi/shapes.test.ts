// Requests of operations as they stand in public documents of all three versions. `fixtures/shapes.jsonl` keeps of each
// document the shape of its one or two richest operations (places, styles, types, media types) and none of its words. What
// must arrive is worked out here anew, from the rules of OpenAPI, and compared with what an echo server got (U10).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { type Crib, openCrib } from '../../crib/open-crib.ts'

interface Part {
  readonly name: string
  /** s, i, n, b: a text, whole number, number, boolean; o: an object; f: a file; `a` in front: a list of them. */
  readonly t: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly style?: string
  readonly explode?: boolean
  readonly content?: string
  /** collectionFormat of Swagger 2.0. */
  readonly list?: string
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly params: readonly Part[]
  readonly body?: { readonly type?: string; readonly t?: string; readonly form?: readonly Part[] }
}

interface Shape {
  readonly version: '2.0' | '3.0' | '3.1'
  readonly operations: readonly Operation[]
}

type Pair = [name: string, value: string]

const file = new URL('./fixtures/shapes.jsonl', import.meta.url)
const shapes: Shape[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

let server: Server
let crib: Crib
let root: string
let seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string } | undefined

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      seen = { method: method!, url: url!, headers, body: Buffer.concat(chunks).toString() }
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  root = mkdtempSync(join(tmpdir(), 'shapes-'))
  writeFileSync(join(root, 'f.bin'), 'FILE')
  for (const [index, shape] of shapes.entries())
    writeFileSync(join(root, `d${index}.openapi.json`), JSON.stringify(documentOf(shape, host)))
  const grants = { tools: { 'd*/*': ['fs.read', `net.http:${host}`] } }
  crib = await openCrib({ root, env: { HOME: root }, config: { grants } })
})

afterAll(async () => {
  await crib.close()
  server.close()
  rmSync(root, { recursive: true, force: true })
})

const types: { readonly [t: string]: object } = {
  s: { type: 'string' },
  i: { type: 'integer' },
  n: { type: 'number' },
  b: { type: 'boolean' },
  o: { type: 'object', properties: { k1: { type: 'string' }, k2: { type: 'integer' } } },
  f: { type: 'string', format: 'binary' },
}

function schemaOf(t: string, version: string): object {
  if (t.startsWith('a')) return { type: 'array', items: schemaOf(t.slice(1), version) }
  return t === 'f' && version === '2.0' ? { type: 'file' } : types[t]!
}

function valueFor(t: string, isHeader = false): unknown {
  if (t.startsWith('a')) return [valueFor(t.slice(1), isHeader), valueFor(t.slice(1), isHeader)]
  const words = isHeader ? 'a b&c' : "ä b&c/d'+%"
  return { s: words, i: 7, n: 2.5, b: true, o: { k1: words, k2: 7 }, f: 'f.bin' }[t]
}

function documentOf({ version, operations }: Shape, host: string): object {
  const isSwagger = version === '2.0'
  const paths: Record<string, Record<string, object>> = {}
  for (const [index, { method, path, params, body }] of operations.entries()) {
    const parts = isSwagger
      ? [...params, ...(body?.form ?? []).map((part) => ({ ...part, in: 'formData' }))]
      : params
    const parameters = parts.map(({ t, content, list, ...part }) => ({
      ...part,
      required: part.in === 'path',
      ...(isSwagger
        ? { ...schemaOf(t, version), collectionFormat: list }
        : content
          ? { content: { [content]: { schema: schemaOf(t, version) } } }
          : { schema: schemaOf(t, version) }),
    }))
    if (isSwagger && body?.t)
      parameters.push({ in: 'body', name: 'b', required: true, schema: schemaOf(body.t, version) } as never)
    const properties = Object.fromEntries(
      (body?.form ?? []).map(({ name, t }) => [name, schemaOf(t, version)]),
    )
    const encoding = Object.fromEntries(
      (body?.form ?? []).map(({ name, style, explode, content }) => [
        name,
        { style, explode, contentType: content },
      ]),
    )
    const media = body?.form
      ? { schema: { type: 'object', properties }, encoding }
      : { schema: schemaOf(body?.t ?? 's', version) }
    paths[path] = {
      ...paths[path],
      [method]: {
        operationId: `op${index}`,
        parameters,
        ...(isSwagger
          ? body?.type
            ? { consumes: [body.type] }
            : {}
          : body
            ? { requestBody: { content: { [body.type!]: media } } }
            : {}),
        responses: { 200: { description: 'fine' } },
      },
    }
  }
  const info = { title: 'Shape', version: '1' }
  return isSwagger
    ? { swagger: version, info, host, schemes: ['http'], basePath: '/base', paths }
    : { openapi: `${version}.0`, info, servers: [{ url: `http://${host}/base` }], paths }
}

const separators: { readonly [name: string]: string } = {
  ...{ csv: ',', ssv: ' ', tsv: '\t', pipes: '|' },
  ...{ spaceDelimited: ' ', pipeDelimited: '|' },
}
const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** The pairs of a query, a cookie or a form that a part with a value is. */
function pairsOf(
  { name, style = 'form', explode, content, list }: Part,
  value: unknown,
  isSwagger: boolean,
): Pair[] {
  if (content?.includes('json')) return [[name, JSON.stringify(value)]]
  if (isSwagger && Array.isArray(value))
    return list === 'multi'
      ? value.map((item) => [name, text(item)])
      : [[name, value.map(text).join(separators[list ?? 'csv'])]]
  if (typeof value !== 'object' || isSwagger) return [[name, text(value)]]
  const entries = Object.entries(value!)
  const isSpread = explode ?? (style === 'form' || style === 'deepObject')
  if (Array.isArray(value) && style !== 'deepObject')
    return isSpread
      ? value.map((item) => [name, text(item)])
      : [[name, value.map(text).join(separators[style] ?? ',')]]
  if (style === 'deepObject')
    return entries.flatMap(([key, item]) => pairsOf({ name: `${name}[${key}]`, style } as Part, item, false))
  if (isSpread) return entries.map(([key, item]) => [key, text(item)])
  return [[name, entries.flatMap(([key, item]) => [key, text(item)]).join(separators[style] ?? ',')]]
}

/** The text of a part of the path or of a header, style simple. */
function simpleText({ explode = false, content, list }: Part, value: unknown): string {
  if (content?.includes('json')) return JSON.stringify(value)
  if (Array.isArray(value)) return value.map(text).join(separators[list ?? 'csv'] ?? ',')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value!)
    .map(([key, item]) => `${key}${explode ? '=' : ','}${text(item)}`)
    .join(',')
}

const split = (joined: string): Pair[] =>
  joined === '' ? [] : joined.split('&').map((pair) => pair.split('=', 2).map(decodeURIComponent) as Pair)

function partsOf({ headers, body }: NonNullable<typeof seen>): Pair[] {
  const boundary = /boundary=(.*)$/.exec(headers['content-type'] ?? '')![1]
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head, ...rest] = part.slice(2, -2).split('\r\n\r\n')
      return [/ name="([^"]*)"/.exec(head!)![1]!, rest.join('\r\n\r\n')]
    })
}

async function check(
  id: string,
  { version, operation }: { version: string; operation: Operation },
): Promise<void> {
  const isSwagger = version === '2.0'
  const { method, path, params, body } = operation
  const args: Record<string, unknown> = {}
  for (const part of params) args[part.name] = valueFor(part.t, part.in === 'header')
  // What is JSON is YAML too.
  const isText = body?.t !== undefined && !/json|yaml|\*/.test(body.type ?? 'json')
  const isBytes = isText && !/^text\/|xml/.test(body.type!)
  if (body?.form) args['body'] = Object.fromEntries(body.form.map(({ name, t }) => [name, valueFor(t)]))
  else if (body) args['body'] = isBytes ? 'f.bin' : isText ? 'words' : valueFor(body.t!)
  seen = undefined
  const outcome = await crib.call(id, args)
  expect(outcome, JSON.stringify([id, operation])).toMatchObject({ ok: true })
  const got = seen!
  let target = path.replace(/#.*/, '')
  for (const part of params)
    if (part.in === 'path')
      target = target.replace(`{${part.name}}`, () => encodeURIComponent(simpleText(part, args[part.name])))
  const [wantedPath, written = ''] = `/base${target}`.split('?')
  const [gotPath, query = ''] = got.url.split('?')
  expect(got.method).toBe(method.toUpperCase())
  expect(gotPath!.split('/').map(decodeURIComponent)).toEqual(wantedPath!.split('/').map(decodeURIComponent))
  const of = (place: Part['in']) =>
    params.filter((part) => part.in === place).flatMap((part) => pairsOf(part, args[part.name], isSwagger))
  expect(split(query)).toEqual([...split(written), ...of('query')])
  for (const part of params)
    if (part.in === 'header')
      expect(got.headers[part.name.toLowerCase()]).toBe(simpleText(part, args[part.name]))
  if (params.some((part) => part.in === 'cookie'))
    expect(got.headers.cookie!.split('; ').flatMap(split)).toEqual(of('cookie'))
  if (!body) return expect(got.body).toBe('')
  if (body.form) {
    const given = args['body'] as Record<string, unknown>
    const isMultipart = body.form.some(({ t }) => /f$/.test(t)) || /multipart/.test(body.type ?? '')
    const wanted = body.form.flatMap((part): Pair[] => {
      const value = given[part.name]
      if (/f$/.test(part.t)) return [value].flat().map(() => [part.name, 'FILE'])
      const isWhole = isMultipart && !isSwagger
      if (isWhole) return [value].flat().map((item) => [part.name, text(item)])
      const isSpread = Array.isArray(value) || part.style !== undefined || part.explode !== undefined
      return isSpread ? pairsOf(part, value, isSwagger) : [[part.name, text(value)]]
    })
    return expect(isMultipart ? partsOf(got) : split(got.body.replaceAll('+', '%20'))).toEqual(wanted)
  }
  if (isText) return expect(got.body).toBe(isBytes ? 'FILE' : 'words')
  expect(JSON.parse(got.body)).toEqual(args['body'])
}

it(`of ${shapes.length} public documents arrive as they describe them`, { timeout: 120_000 }, async () => {
  verifies('U10')
  expect(shapes.length).toBeGreaterThanOrEqual(200)
  expect(new Set(shapes.map(({ version }) => version))).toEqual(new Set(['2.0', '3.0', '3.1']))
  for (const [index, { version, operations }] of shapes.entries())
    for (const [at, operation] of operations.entries())
      await check(`d${index}/op${at}`, { version, operation })
})
