// CONFIG_RESOLVE at the call: reads the configuration files of the three tiers a tool asked for, merges them and
// adds the outcome to its params. Files are read again only when they changed, and judged at every call.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readBelow } from '../../files/open-below.ts'
import { isReallyInside } from '../../files/real-path.ts'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import { ryePlanOf } from '../../tool/plans/runtime-plans.ts'
import type { RyeConfigRequest, RyePlan } from '../../tool/plans/rye-plan.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { FormatEnv, VerifyFile } from '../format.ts'
import { dataKind, parseData } from './read-data.ts'

const maxBytes = 4_194_304
const maxRemembered = 256

/** Params with `resolved_config`, for a tool that asks for it; any other tool's params as they are. */
export function finishParams(tool: Tool, params: unknown, env: FormatEnv, verify: VerifyFile): unknown {
  const plan = ryePlanOf(tool)
  if (!plan?.configResolve) return params
  const given = isPlainObject(params) ? params : {}
  if (Object.hasOwn(given, 'resolved_config')) {
    throw new ToolError(
      'PARAMS_INVALID',
      `${tool.id}: resolved_config is filled in from configuration files.`,
      {
        hint: 'Leave it out, and change the files under .ai/config/ instead.',
        details: { violations: [{ pointer: '/resolved_config', message: 'must not be given' }] },
      },
    )
  }
  return {
    ...given,
    resolved_config: resolveRequests(plan.configResolve, configFolders(tool, plan, env), verify),
  }
}

/** One outcome, or an object of outcomes by path when the tool gave a list. */
export function resolveRequests(
  asked: NonNullable<RyePlan['configResolve']>,
  folders: readonly string[],
  verify: VerifyFile,
): JsonObject {
  if (!asked.isList) return asked.requests[0] ? resolveRequest(asked.requests[0], folders, verify) : {}
  return Object.fromEntries(
    asked.requests.map((request) => [request.path, resolveRequest(request, folders, verify)]),
  )
}

/** The `config` folders of system, user and project, lowest tier first. */
export function configFolders(tool: Tool, plan: RyePlan, env: FormatEnv): string[] {
  const { spaces } = env
  const projectAi = tool.tier === 'project' ? plan.ai : join(spaces.project, '.ai')
  return [spaces.system, spaces.userAi, projectAi].map((folder) => join(folder, 'config'))
}

function resolveRequest(
  request: RyeConfigRequest,
  folders: readonly string[],
  verify: VerifyFile,
): JsonObject {
  if (request.mode === 'first_match') {
    for (const folder of folders.toReversed()) {
      const layer = readLayer(folder, request.path, verify)
      if (layer) return layer
    }
    return {}
  }
  let merged: JsonObject = {}
  for (const folder of folders) {
    const layer = readLayer(folder, request.path, verify)
    if (layer) merged = mergeLayer(merged, layer)
  }
  return merged
}

/** Objects merge key by key, everything else replaces; `extends` is no setting and is left out. */
export function mergeLayer(base: JsonObject, layer: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(layer)) {
    if (key === 'extends') continue
    const below = merged.get(key)
    merged.set(
      key,
      isPlainObject(below) && isPlainObject(value)
        ? mergeLayer(below as JsonObject, value as JsonObject)
        : value,
    )
  }
  return Object.fromEntries(merged)
}

interface Remembered {
  readonly stamp: string
  readonly bytes: Uint8Array
  readonly value: JsonObject
}

const remembered = new Map<string, Remembered>()

function readLayer(folder: string, path: string, verify: VerifyFile): JsonObject | undefined {
  const file = join(folder, path)
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
  if (!stat) return undefined
  if (!isReallyInside(file, folder)) throw invalid(file, 'is a link that leads out of its folder')
  const stamp = `${stat.mtimeNs}:${stat.size}:${stat.ino}`
  let known = remembered.get(file)
  if (known?.stamp !== stamp) {
    if (!stat.isFile()) throw invalid(file, 'is not a file')
    if (stat.size > maxBytes) throw invalid(file, `has more than ${maxBytes} bytes`)
    const bytes = readBelow(folder, path, maxBytes)
    if (!bytes) throw invalid(file, 'cannot be read, or changed while it was read')
    known = { stamp, bytes, value: parseConfig(file, bytes) }
    remembered.delete(file)
    remembered.set(file, known)
    if (remembered.size > maxRemembered) remembered.delete(remembered.keys().next().value!)
  }
  verify(file, known.bytes)
  return known.value
}

function parseConfig(file: string, bytes: Uint8Array): JsonObject {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(file, 'is not UTF-8 text')
  }
  const kind = dataKind(file)
  if (text.trim() === '') return {}
  const parsed = parseData(kind, text)
  if ('fault' in parsed)
    throw invalid(file, `is not valid ${kind}, line ${parsed.fault.line}: ${parsed.fault.message}`)
  if (parsed.value === null) return {}
  if (!isPlainObject(parsed.value)) throw invalid(file, 'must hold an object')
  return parsed.value as JsonObject
}

function invalid(file: string, what: string): ToolError {
  return new ToolError('CONFIG_INVALID', `The configuration file ${file} ${what}.`, {
    hint: 'Correct the file, or remove it to do without its settings.',
    details: { file },
  })
}
