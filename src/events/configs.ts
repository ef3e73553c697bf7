// Settings of tools, saved as `tool.config.v1` crumbs: what a form may contain, where the saved values lie, and
// what a run gets.
import type { UiConfigField, UiSchema } from '../formats/tool-code/shapes.ts'
import type { Crumb } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { versionMismatch } from '../store/store-error.ts'
import { isPlainObject, type Json, type JsonObject } from '../tool/json.ts'
import { isManyPath, queryJsonPath } from '../tool/json-path.ts'
import { compilePattern } from '../tool/pattern.ts'
import type { Principal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { CrumbCheck, Crumbs, WriteResult } from './crumbs.ts'

export const configSchema = 'tool.config.v1'

/** The settings form of a tool; null when it has none. */
export function uiSchemaOf(tool: Tool): UiSchema | null {
  return tool.details?.ui_schema ?? null
}

/** Why there is nothing to set, in the words a form shows; null when there is. */
export function noSettingsReason(ui: UiSchema | null): string | null {
  if (!ui?.configurable) return 'This tool has no configurable options.'
  return ui.config_fields.length === 0 ? 'No configuration fields defined for this tool.' : null
}

/** The values of a form nobody filled in. */
export function defaultsOf(ui: UiSchema | null): JsonObject {
  const defaults: Record<string, Json> = {}
  for (const field of ui?.config_fields ?? [])
    if (field.default_value !== undefined) defaults[field.key] = field.default_value as Json
  return defaults
}

/** One message per field that is wrong. */
function configFaults(
  ui: UiSchema,
  config: { readonly [key: string]: unknown },
): { key: string; message: string }[] {
  return ui.config_fields.flatMap((field) => {
    const message = faultOf(field, Object.hasOwn(config, field.key) ? config[field.key] : undefined)
    return message === null ? [] : [{ key: field.key, message: `${field.label} ${message}` }]
  })
}

function faultOf(field: UiConfigField, value: unknown): string | null {
  if (value === undefined || value === null || value === '')
    return field.required && field.default_value === undefined ? 'is required' : null
  if (field.type === 'number') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'format is invalid'
    const { min, max } = boundsOf(field)
    if (min !== undefined && value < min) return `must be at least ${min}`
    return max !== undefined && value > max ? `must be at most ${max}` : null
  }
  if (field.type === 'boolean') return typeof value === 'boolean' ? null : 'format is invalid'
  if (field.type === 'json') return null
  if (typeof value !== 'string') return 'format is invalid'
  const { pattern } = field.validation ?? {}
  return pattern !== undefined && !compilePattern(pattern).test(value) ? 'format is invalid' : null
}

/** Limits of a number; a slider without limits goes from 0 to 100. */
export function boundsOf(field: UiConfigField): {
  readonly min?: number
  readonly max?: number
  readonly step?: number
} {
  const given = field.validation ?? {}
  return field.ui_type === 'slider' ? { min: 0, max: 100, step: 1, ...given } : given
}

/** Refuses values the form of a known tool would not take. */
export function configCheck(findTool: (name: string) => Tool | undefined): CrumbCheck {
  return (draft) => {
    const context = isPlainObject(draft.context) ? draft.context : {}
    const name = context['tool_name']
    const tool = typeof name === 'string' ? findTool(name) : undefined
    const ui = tool ? uiSchemaOf(tool) : null
    if (!ui) return undefined
    const config = context['config'] ?? {}
    if (!isPlainObject(config)) throw new ToolError('SETTINGS_INVALID', 'config must be an object.')
    const faults = configFaults(ui, config)
    if (faults.length === 0) return undefined
    throw new ToolError('SETTINGS_INVALID', faults.map((fault) => fault.message).join('; '), {
      details: faults.map(({ key, message }) => ({ pointer: `/context/config/${key}`, message })),
    })
  }
}

/** Stores the settings of a tool, in place of the former ones. */
export async function saveConfig(
  crumbs: Crumbs,
  { tool, config }: { readonly tool: string; readonly config: JsonObject },
  principal: Principal,
  options: { readonly ifMatch?: number | null; readonly now?: number } = {},
): Promise<WriteResult> {
  const context = { tool_name: tool, config, last_updated: new Date(options.now ?? Date.now()).toISOString() }
  const current = await newestConfig(crumbs.store, tool, principal.owner)
  if (current) return crumbs.update(current.id, { context }, principal, options.ifMatch ?? current.version)
  if (options.ifMatch) throw versionMismatch(`tool:config:${tool}`, options.ifMatch, 0)
  return crumbs.create(
    {
      title: `${tool} Configuration`,
      schema_name: configSchema,
      tags: ['tool:config', `tool:${tool}`, `tool:config:${tool}`, 'workspace:tools'],
      context,
    },
    principal,
  )
}

/** The newest settings of a tool, found by either form of tag. */
export async function newestConfig(store: CrumbStore, tool: string, owner: string): Promise<Crumb | null> {
  const viewer = { owner, name: '', isAdmin: true }
  const forms = [[`tool:config:${tool}`], ['tool:config', `tool:${tool}`]]
  const found = await Promise.all(
    forms.map((tags) => store.crumbs.list({ viewer, tags, schema: configSchema, limit: 1 })),
  )
  const newest = found.flatMap((page) => page.crumbs).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
  return newest.find((crumb) => crumb.owner_id === owner) ?? null
}

export interface ResolvedConfig {
  readonly config: JsonObject
  /** The crumb the values come from; null when there are only defaults. */
  readonly id: string | null
  /** True when that crumb has an end. */
  readonly expires: boolean
}

/** What a run gets: defaults, overlaid by the named settings, or by the newest ones of the tool. */
export async function resolveConfig(
  store: CrumbStore,
  tool: Tool,
  owner: string,
  configId: string | null,
): Promise<ResolvedConfig> {
  const crumb =
    configId === null ? await newestConfig(store, tool.id, owner) : await store.crumbs.get(configId)
  const context = crumb && isPlainObject(crumb.context) ? crumb.context : {}
  const isMine =
    crumb?.schema_name === configSchema && crumb.owner_id === owner && context['tool_name'] === tool.id
  if (configId !== null && !isMine)
    throw new ToolError('CONFIG_INVALID', `config_id ${configId} is no configuration of ${tool.id}.`, {
      hint: 'Name a tool.config.v1 breadcrumb of this tool, or leave config_id out to use the newest one.',
    })
  const saved = isMine && isPlainObject(context['config']) ? (context['config'] as JsonObject) : {}
  return {
    config: { ...defaultsOf(uiSchemaOf(tool)), ...saved },
    id: isMine ? crumb.id : null,
    expires: crumb?.ttl !== undefined,
  }
}

export interface FieldOption {
  readonly value: Json
  readonly label: string
}

/**
 * The choices of a field: static ones win; else breadcrumbs by search, or a list fetched with `fetchJson`,
 * which must apply the tool's network permission.
 */
export async function fieldOptions(
  crumbs: Crumbs,
  field: UiConfigField,
  principal: Principal,
  fetchJson: (url: string) => Promise<unknown>,
): Promise<FieldOption[]> {
  if (field.options && field.options.length > 0)
    return field.options.map(({ value, label }) => ({ value: value as Json, label: label ?? String(value) }))
  const source = field.options_source
  if (!source) return []
  if (source.type === 'api') {
    const list = await fetchJson(String(source['url']))
    const valueField = String(source['value_field'] ?? 'value')
    const labelField = String(source['label_field'] ?? 'label')
    if (!Array.isArray(list)) return []
    return list.filter(isPlainObject).flatMap((item) => option(item[valueField], item[labelField]))
  }
  const { crumbs: found } = await crumbs.store.crumbs.list({
    viewer: principal,
    schema: typeof source['schema_name'] === 'string' ? source['schema_name'] : undefined,
    tags: typeof source['tag'] === 'string' ? [source['tag']] : undefined,
    limit: 100,
  })
  return found.flatMap((crumb) => {
    const values = listAt(crumb, String(source['value_path'] ?? '$.id'))
    const labels = source['label_path'] === undefined ? [] : listAt(crumb, String(source['label_path']))
    return values.flatMap((value, index) => option(value, labels[index]))
  })
}

function listAt(crumb: Crumb, path: string): unknown[] {
  const found = queryJsonPath(crumb, path)
  return !isManyPath(path) && Array.isArray(found[0]) ? found[0] : found
}

function option(value: unknown, label: unknown): FieldOption[] {
  if (value === undefined || value === null) return []
  return [
    { value: value as Json, label: label === undefined || label === null ? String(value) : String(label) },
  ]
}
