// The openapi format: `*.openapi.{json,yaml,yml}` under a root, and the documents that `apis` of toolcrib.yaml names. One
// tool per operation, read statically.
import { posix, relative, resolve } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'
import type { FileEntry, Format, FormatEnv, Parsed, Read, ScannedFolder, Unit } from '../format.ts'
import { cleanName } from './api-name.ts'
import { ApiDocument } from './document.ts'
import { openapiParts } from './parts.ts'
import { type ApiChoice, readApi } from './read-api.ts'
import { starter, template } from './starter.ts'

const ending = /\.openapi\.(json|ya?ml)$/
const data = /\.(json|ya?ml)$/
const maxBeside = 64
const maxBesideBytes = 4 * 1_048_576

declare module '../../tool/tool.ts' {
  interface ToolDetails {
    /** The request that an operation of an API is. */
    readonly openapi?: { readonly method: string; readonly path: string; readonly server?: string }
  }
}

export const openapi: Format = {
  name: 'openapi',
  rank: 6,
  // The server fills its own defaults.
  traits: { fillDefaults: false, hasSoundSchemas: true },
  units,
  looksIn: (env) => ({
    paths: choicesOf(env).flatMap(({ spec }) =>
      /^https?:/i.test(spec) ? [] : [resolve(env.spaces.project, spec)],
    ),
    names: ending,
  }),
  parse,
  link,
  ...openapiParts,
  starter,
  template,
  details: (tool) => (tool.details?.openapi as JsonObject | undefined) ?? null,
}

function units(scanned: ScannedFolder, env: FormatEnv): Unit[] {
  if (scanned.kind !== 'crib') return []
  const named = new Map<string, ApiChoice>()
  for (const choice of choicesOf(env)) {
    const path = pathIn(scanned, choice.spec, env)
    if (path !== undefined) named.set(path, choice)
  }
  return scanned.files.flatMap((file) => {
    const choice = named.get(file.path)
    if (!choice && !ending.test(file.path)) return []
    const api = posix.basename(file.path).replace(ending, '').replace(data, '')
    const note = JSON.stringify(choice ?? { api: cleanName(api) })
    return [
      {
        format: 'openapi',
        scanned,
        files: [file, ...beside(scanned, file)],
        isCertain: false,
        reportsUnreadable: true,
        note,
      },
    ]
  })
}

type Choice = ApiChoice & { readonly spec: string }

function choicesOf({ config }: FormatEnv): Choice[] {
  return Object.entries(config.apis).map(([name, entry]) => ({ api: cleanName(name), ...entry }))
}

/** The path of a document under a scanned folder; undefined when it lies elsewhere. */
function pathIn(scanned: ScannedFolder, spec: string, { spaces }: FormatEnv): string | undefined {
  if (/^https?:/i.test(spec)) return undefined
  const file = resolve(spaces.project, spec)
  return isInside(file, scanned.dir) ? relative(scanned.dir, file) : undefined
}

/** Files that the document may refer to: those of its folder and below, nearest first. */
function beside(scanned: ScannedFolder, { path }: FileEntry): FileEntry[] {
  const folder = posix.dirname(path)
  const prefix = folder === '.' ? '' : `${folder}/`
  const near = scanned.files.filter(
    (file) =>
      file.path !== path && file.path.startsWith(prefix) && data.test(file.path) && !ending.test(file.path),
  )
  const depth = ({ path: own }: FileEntry) => own.split('/').length
  let bytes = 0
  return near
    .sort((a, b) => depth(a) - depth(b))
    .slice(0, maxBeside)
    .filter(({ size }) => {
      bytes += size
      return bytes <= maxBesideBytes
    })
}

function parse(unit: Unit, read: Read): Parsed {
  const choice = JSON.parse(unit.note!) as ApiChoice
  const byPath = new Map(unit.files.map((file) => [file.path, file]))
  const main = read(unit.files[0]!)
  const document = new ApiDocument(main, (path) => {
    const entry = byPath.get(path)
    return entry && read(entry)
  })
  if (!document.fault) return readApi(document, choice, unit.scanned.tier)
  const { message, line, column } = document.fault
  const problem: Problem = {
    code: 'openapi-invalid',
    severity: 'error',
    message: `${main.path} cannot be read: ${message.replace(/\.$/, '')}.`,
    hint: 'Correct the file on this line.',
    file: main.file,
    line,
    column,
  }
  return { tools: [], problems: [problem] }
}

/** Says which documents of `apis` are not there. */
function link(tools: readonly Tool[], env: FormatEnv, facts: readonly JsonObject[]): Parsed {
  const found = new Set(tools.map((tool) => tool.source.file))
  const file = resolve(env.spaces.project, 'toolcrib.yaml')
  const problems = choicesOf(env).flatMap(({ api, spec }): Problem[] => {
    if (/^https?:/i.test(spec))
      return [
        {
          code: 'openapi-missing',
          severity: 'error',
          message: `The document of the API ${api} is at ${spec} and not in the crib, where it is read from.`,
          hint: `Fetch it with \`toolcrib add ${spec}\`, look at it, and name the file here.`,
          file,
        },
      ]
    const path = resolve(env.spaces.project, spec)
    if (found.has(path) || facts.some((fact) => fact['file'] === path)) return []
    return [
      {
        code: 'openapi-missing',
        severity: 'warning',
        message: `The API ${api} gives no tools: ${spec} has no operations, or is no file under a root of the crib.`,
        hint: 'Correct `spec` under `apis`, or put the document into the crib.',
        file,
      },
    ]
  })
  return { tools, problems }
}
