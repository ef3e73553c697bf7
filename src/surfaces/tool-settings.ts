// The settings form of a tool as a surface shows it: fields with their choices, the values in force, and saving
// them. Choices from an address are fetched by the host, only where the tool itself could reach it.

import type { Crib } from '../crib/crib.ts'
import type { OpenBreadcrumbs } from '../crib/open-breadcrumbs.ts'
import {
  boundsOf,
  defaultsOf,
  type FieldOption,
  fieldOptions,
  newestConfig,
  noSettingsReason,
  saveConfig,
  uiSchemaOf,
} from '../events/configs.ts'
import type { UiConfigField } from '../formats/tool-code/shapes.ts'
import { effectiveRights } from '../runtimes/deno/effective-rights.ts'
import { NetGuard } from '../runtimes/net-guard.ts'
import { makeProfile } from '../sandbox/make-profile.ts'
import type { NetworkRule } from '../sandbox/profile.ts'
import { grantsFor } from '../sandbox/tool-grants.ts'
import { isPlainObject, type JsonObject } from '../tool/json.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Principal } from '../tool/principal.ts'
import type { Static } from '../tool/shape.ts'
import type { Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { settingsFieldShape, toolSettingsShape } from './tool-settings-shape.ts'

const fetchTimeoutMs = 5_000
const maxListBytes = 1024 * 1024

/** A field of the form, limits and choices worked out. */
export interface SettingsField extends Static<typeof settingsFieldShape> {}

export interface ToolSettings extends Static<typeof toolSettingsShape> {}

export async function toolSettings(crib: Crib, tool: Tool, principal: Principal): Promise<ToolSettings> {
  const open = await crib.crumbs.open()
  const ui = uiSchemaOf(tool)
  const message = noSettingsReason(ui)
  const crumb = await newestConfig(open.store, tool.id, principal.owner)
  const context = crumb && isPlainObject(crumb.context) ? crumb.context : {}
  const saved = isPlainObject(context['config']) ? (context['config'] as JsonObject) : null
  const fields = message === null ? ui!.config_fields : []
  return {
    tool: tool.id,
    configurable: message === null,
    message,
    description: ui?.description,
    fields: await Promise.all(fields.map((field) => settingsField(crib, open, { tool, field, principal }))),
    values: { ...defaultsOf(ui), ...saved },
    saved,
    id: crumb?.id ?? null,
    version: crumb?.version ?? null,
    last_updated: typeof context['last_updated'] === 'string' ? context['last_updated'] : null,
  }
}

/** Saves the values of the form; throws 422 with one message per wrong field, 412 when `ifMatch` is stale. */
export async function saveToolSettings(
  crib: Crib,
  tool: Tool,
  {
    config,
    principal,
    ifMatch,
  }: { readonly config: unknown; readonly principal: Principal; readonly ifMatch: number | null },
): Promise<{ readonly id: string; readonly version: number }> {
  const reason = noSettingsReason(uiSchemaOf(tool))
  if (reason !== null) throw new ToolError('SETTINGS_INVALID', reason)
  if (!isPlainObject(config)) throw new ToolError('SETTINGS_INVALID', 'config must be an object.')
  const { crumbs } = await crib.crumbs.open()
  return saveConfig(crumbs, { tool: tool.id, config: config as JsonObject }, principal, { ifMatch })
}

async function settingsField(
  crib: Crib,
  open: OpenBreadcrumbs,
  {
    tool,
    field,
    principal,
  }: { readonly tool: Tool; readonly field: UiConfigField; readonly principal: Principal },
): Promise<SettingsField> {
  const shown = { ...field, ...(field.type === 'number' ? boundsOf(field) : {}) }
  if (field.ui_type !== 'select' && field.ui_type !== 'secret-select') return shown
  try {
    const choices =
      field.ui_type === 'secret-select'
        ? await secretChoices(open, field, principal)
        : await fieldOptions(open.crumbs, field, principal, (url) => fetchList(crib, tool, url))
    return { ...shown, choices }
  } catch (error) {
    return { ...shown, choices: [], choices_error: (error as Error).message }
  }
}

/** The secrets by name; the one the field asks for comes first. */
async function secretChoices(
  open: OpenBreadcrumbs,
  field: UiConfigField,
  principal: Principal,
): Promise<FieldOption[]> {
  const secrets = await open.secrets.list(principal)
  const isWanted = (name: string): number => (name === field.secret_name ? 0 : 1)
  return secrets
    .sort((a, b) => isWanted(a.name) - isWanted(b.name))
    .map(({ id, name, scope_id }) => ({
      value: id,
      label: scope_id === null ? name : `${name} (${scope_id})`,
    }))
}

async function fetchList(crib: Crib, tool: Tool, url: string): Promise<unknown> {
  const guard = new NetGuard()
  try {
    const answer = await guard.fetch(networkOf(crib, tool))(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(fetchTimeoutMs),
    })
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`)
    return JSON.parse(await textWithin(answer, maxListBytes))
  } finally {
    guard.close()
  }
}

async function textWithin(answer: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`${answer.url} sent more than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function networkOf(crib: Crib, tool: Tool): NetworkRule {
  const granted = makeProfile(tool, grantsFor(tool, crib.config), crib).network
  const { network } = effectiveRights(
    tool.id,
    planOf(tool, 'deno')!,
    granted,
    crib.config.tools[tool.id],
  ).rights
  if (network.public) return { mode: 'public', hosts: network.hosts }
  return network.hosts.length > 0 ? { mode: 'hosts', hosts: network.hosts } : { mode: 'none' }
}
