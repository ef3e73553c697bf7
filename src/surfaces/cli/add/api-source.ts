// The OpenAPI document that `toolcrib add` was given: a file, or an address it is fetched from.
import { readFileSync, statSync } from 'node:fs'
import { basename, posix, resolve } from 'node:path'
import { type ApiProposal, proposeApi } from '../../../formats/openapi/propose-api.ts'
import type { ApiChoice } from '../../../formats/openapi/read-api.ts'
import { messageOf, ToolError } from '../../../tool/tool-error.ts'
import { nameOfAddress } from '../../servers/pasted-servers.ts'
import type { AddOptions } from './added.ts'

const ending = /(\.openapi)?\.(json|ya?ml)$/
const maxBytes = 8 * 1_048_576
const fetchMs = 30_000

export interface ApiSource {
  /** The file; undefined for a document that was fetched. */
  readonly file?: string
  readonly text: string
  /** What taking in these operations means. */
  propose(choice?: Pick<ApiChoice, 'include' | 'exclude'>): ApiProposal
}

/** The document in a file; undefined when the file is something else. */
export function apiInFile(what: string, options: AddOptions): ApiSource | undefined {
  const file = resolve(what)
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!ending.test(file) || !stat?.isFile() || stat.size > maxBytes) return undefined
  const source = sourceOf(file, readFileSync(file, 'utf8'), options.id ?? basename(file).replace(ending, ''))
  return source && { ...source, file }
}

/** An address under which documents are served; any other is that of an MCP server. */
const documentAddress = /\.(json|ya?ml)$|openapi|swagger|api-docs/i

/** The document behind an address; undefined for an address of something else. */
export async function apiAtAddress(
  given: string,
  options: AddOptions,
  signal: AbortSignal,
): Promise<ApiSource | undefined> {
  const address = new URL(given)
  if (!documentAddress.test(address.pathname)) return undefined
  const text = await fetched(address, signal)
  const isYaml = /\.ya?ml$/i.test(address.pathname) || !text.trimStart().startsWith('{')
  const path = `${posix.basename(address.pathname).replace(ending, '') || 'api'}.${isYaml ? 'yaml' : 'json'}`
  const name = options.id ?? nameOfAddress(given)
  const source = sourceOf(path, text, name, address.href)
  if (source) return source
  if (!ending.test(address.pathname)) return undefined
  throw new ToolError('TOOL_INVALID', `${given} is no OpenAPI document.`, {
    hint: 'It has no "openapi: 3.x" and no "swagger: 2.0".',
  })
}

async function fetched(address: URL, signal: AbortSignal): Promise<string> {
  const failed = (why: string) =>
    new ToolError('UPSTREAM_FAILED', `${address.href} could not be fetched: ${why}.`, {
      hint: 'Check the address, or download the document and add the file.',
    })
  try {
    const response = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(fetchMs)]) })
    if (!response.ok) throw failed(`it answered ${response.status}`)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > maxBytes) throw failed(`it is larger than ${maxBytes / 1_048_576} MiB`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch (error) {
    if (error instanceof ToolError) throw error
    const { cause } = error as { cause?: unknown }
    throw failed(messageOf(cause ?? error))
  }
}

function sourceOf(file: string, text: string, name: string, origin?: string): ApiSource | undefined {
  if (!proposeApi({ file, text }, { api: name, origin })) return undefined
  return { text, propose: (choice = {}) => proposeApi({ file, text }, { api: name, origin, ...choice })! }
}
