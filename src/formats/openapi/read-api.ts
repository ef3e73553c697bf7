// A whole OpenAPI document as tools: one per operation. One that is broken is a problem of its own and hides no other.

import { lazyModule } from '../../tool/lazy-module.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tier, Tool } from '../../tool/tool.ts'
import { messageOf } from '../../tool/tool-error.ts'
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'
import { lineFinder } from './operation-lines.ts'
import { type ApiSettings, type Operation, readOperation } from './read-operation.ts'

const picomatch = lazyModule<typeof import('picomatch')>('picomatch')
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const maxOperations = 20_000
/** Parts of schemas that all operations of a document may have together, and the least and most of one. */
const allParams = { total: 60_000, least: 30, most: 2_000 }
const allReturns = { total: 20_000, least: 10, most: 400 }

export interface ApiChoice extends ApiSettings {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

export interface ReadApi {
  readonly tools: readonly Tool[]
  readonly problems: readonly Problem[]
}

export function readApi(document: ApiDocument, choice: ApiChoice, tier: Tier): ReadApi {
  const problems: Problem[] = []
  const tools: Tool[] = []
  const { main } = document
  const report = (at: Pick<Located, 'path' | 'pointer'>, message: string, hint: string) =>
    problems.push({ code: 'openapi-invalid', severity: 'error', message, hint, ...document.placeOf(at) })
  if (!isApi(document.value)) {
    report(
      document.root,
      `${main.path} is no OpenAPI document: it has no "openapi: 3.x" or "swagger: 2.0" with "paths".`,
      'Write `openapi: 3.1.0` at the top and the operations under `paths`, or rename the file.',
    )
    return { tools, problems }
  }
  const lines = lineFinder(main.text)
  const operations = operationsOf(document, choice, report)
  const share = ({ total, least, most }: typeof allParams) =>
    Math.round(Math.min(most, Math.max(least, total / operations.length)))
  const budget = { params: share(allParams), returns: share(allReturns) }
  for (const found of operations.slice(0, maxOperations)) {
    const operation = { ...found, budget }
    const line = lines(operation.path, operation.method)
    const source = { file: main.file, line, digest: main.digest }
    try {
      tools.push(readOperation(operation, { tier, source }))
    } catch (error) {
      report(
        operation.at,
        `${operation.method} ${operation.path} could not be read: ${messageOf(error)}.`,
        'Correct it, or take it out.',
      )
    }
  }
  const { files } = document
  return { tools: tools.map((tool) => ({ ...tool, source: { ...tool.source, files } })), problems }
}

function isApi(value: unknown): value is Node {
  if (!isNode(value) || !(isNode(value['paths']) || isNode(value['webhooks']) || isNode(value['components'])))
    return false
  return /^3\.[0-9]/.test(String(value['openapi'] ?? '')) || /^2\.0/.test(version2(value['swagger']))
}

function version2(value: unknown): string {
  return value === 2 ? '2.0' : String(value ?? '')
}

function operationsOf(
  document: ApiDocument,
  choice: ApiChoice,
  report: (at: Located, message: string, hint: string) => void,
): Omit<Operation, 'budget'>[] {
  const paths = document.at(document.root, 'paths')
  const operations: Omit<Operation, 'budget'>[] = []
  const ids = new Set<string>()
  for (const path of Object.keys(isNode(paths.value) ? paths.value : {})) {
    if (path.startsWith('x-')) continue
    const pathAt = document.resolve(document.at(paths, path))
    if (!pathAt || !isNode(pathAt.value)) {
      report(document.at(paths, path), `The path ${path} has no operations.`, 'Correct it, or take it out.')
      continue
    }
    for (const method of methods) {
      const at = document.at(pathAt, method)
      if (at.value === undefined) continue
      if (!isNode(at.value)) {
        report(at, `${method.toUpperCase()} ${path} is no operation.`, 'Correct it, or take it out.')
        continue
      }
      const id = idOf(choice.api, at.value, { method, path }, ids)
      const operation = { document, settings: choice, id, method: method.toUpperCase(), path, at, pathAt }
      if (isChosen(operation, choice)) operations.push(operation)
    }
  }
  return operations
}

/** `api/operationId`; made of method and path where there is none, or where another has it. */
function idOf(
  api: string,
  node: Node,
  { method, path }: { readonly method: string; readonly path: string },
  taken: Set<string>,
): string {
  const given = node['operationId']
  const words = path.replace(/[{}]/g, '').split('/').filter(Boolean).join('_')
  const made = `${method}_${words || 'root'}`
  const own = typeof given === 'string' && given.trim() !== '' ? given.trim() : made
  let id = `${api}/${cleanId(own)}`
  if (taken.has(id)) id = `${api}/${cleanId(made)}`
  for (let n = 2; taken.has(id); n++) id = `${api}/${cleanId(made)}_${n}`
  taken.add(id)
  return id
}

function cleanId(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[_.]+|[_.]+$/g, '') || 'operation'
}

/** A pattern is a glob on the operation's id, `#tag`, or `METHOD /path` with globs. */
function isChosen(
  { id, method, path, at, settings }: Omit<Operation, 'budget'>,
  { include, exclude }: ApiChoice,
): boolean {
  const name = id.slice(settings.api.length + 1)
  const tags = (at.value as Node)['tags']
  const labels = Array.isArray(tags) ? tags.map(String) : []
  const matches = (pattern: string) => {
    if (pattern.startsWith('#')) return labels.some((tag) => picomatch().isMatch(tag, pattern.slice(1)))
    if (pattern.includes(' ') || pattern.startsWith('/'))
      return [`${method} ${path}`, path].some((text) =>
        picomatch().isMatch(text, pattern, { dot: true, bash: true }),
      )
    return (
      picomatch().isMatch(name, pattern, { dot: true }) || picomatch().isMatch(id, pattern, { dot: true })
    )
  }
  return (include === undefined || include.some(matches)) && !exclude?.some(matches)
}
