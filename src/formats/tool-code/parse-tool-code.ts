// One tool.code.v1 document to a tool and its problems. Pure: the same check serves files and breadcrumbs
// created through the API, so what is refused there is what is reported here.
import { isPlainObject, type JsonObject, jsonDigest } from '../../tool/json.ts'
import type { ToolCodePermissions, ToolCodePlan } from '../../tool/plans/deno-plan.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { Problem } from '../../tool/problem.ts'
import { makeTool, type Tier, type Tool, type ToolSource } from '../../tool/tool.ts'
import {
  checkBootstrap,
  checkIsolation,
  checkLimits,
  checkSubscriptions,
  takesPart,
} from './check-behaviour.ts'
import { checkExamples, checkSchema, checkValue } from './check-examples.ts'
import { checkPermissions } from './check-permissions.ts'
import { checkSource } from './check-source.ts'
import { checkUiSchema } from './check-ui-schema.ts'
import { Findings, type FindPosition } from './findings.ts'
import type { ToolDocument } from './read-document.ts'
import { isSemver } from './semver.ts'
import { type Bootstrap, contextShape, documentShape, type Subscription, type UiSchema } from './shapes.ts'

export const toolCodeSchema = 'tool.code.v1'

declare module '../../tool/tool.ts' {
  interface ToolDetails extends Partial<ToolCodeDetails> {}
}

/** What is noted on a tool of this format. */
export interface ToolCodeDetails {
  readonly permissions: ToolCodePermissions
  readonly bootstrap: Bootstrap
  readonly subscriptions: readonly Subscription[]
  readonly ui_schema: UiSchema | null
  readonly skipExamples?: string
}

export interface ToolCodeReading {
  /** null when the document has no usable name. */
  readonly tool: Tool | null
  readonly problems: readonly Problem[]
}

export interface ReadOptions {
  readonly file?: string
  readonly tier?: Tier
  readonly source?: ToolSource
  readonly position?: FindPosition
  /** The file of the program, when that is not inside the document. */
  readonly sourceFile?: string
  /** Why the document and its program could not be joined. */
  readonly fault?: ToolDocument['fault']
}

/** What the store adds to a document that was kept there. */
const storedFields = ['ttl_seconds', 'id', 'owner_id', 'version', 'checksum', 'size_bytes'].concat([
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
])
const topFields = new Set(['$schema', ...Object.keys(documentShape.properties), ...storedFields])
const contextFields = new Set(Object.keys(contextShape.properties))

/**
 * Checks a document and reads it as far as it can be read.
 * @example
 * const { tool, problems } = parseToolCode(JSON.parse(text))
 */
export function parseToolCode(document: JsonObject, options: ReadOptions = {}): ToolCodeReading {
  const findings = new Findings()
  const finish = (tool: Tool | null): ToolCodeReading => {
    const problems = findings.problems({
      file: options.file,
      sourceFile: options.sourceFile,
      position: options.position,
      toolId: tool?.id,
    })
    const isInvalid = problems.some((problem) => problem.severity === 'error')
    return {
      tool: tool && { ...tool, problems, ...(isInvalid ? { state: 'invalid' as const } : {}) },
      problems,
    }
  }
  const { fault } = options
  if (fault) findings.add('tc-source-file', fault.pointer, fault.message, { hint: fault.hint })
  if (document['schema_name'] === 'tool.v1') {
    findings.add('tc-legacy-v1', '/schema_name', 'tool.v1 is not supported.', {
      hint: 'Make it a tool.code.v1 document with context.code.source exporting execute.',
    })
    return finish(null)
  }
  const context = document['context']
  if (!isPlainObject(context)) {
    findings.add('tc-name', '/context', 'The document has no context object, so the tool has no name.')
    return finish(null)
  }
  const name = checkName(context['name'], findings)
  checkUnknown(document, context, findings)
  const tool = readTool(document, { context: context as JsonObject, name: name ?? '', findings, options })
  return finish(name === null ? null : tool)
}

function readTool(
  document: JsonObject,
  {
    context,
    name,
    findings,
    options,
  }: {
    readonly context: JsonObject
    readonly name: string
    readonly findings: Findings
    readonly options: ReadOptions
  },
): Tool {
  const permissions = checkPermissions(context['permissions'], findings)
  const code = checkCode(context, permissions.imports, findings)
  const input = checkSchema(context['input_schema'], 'input_schema', findings)
  const output = checkSchema(context['output_schema'], 'output_schema', findings)
  const limits = checkLimits(context['limits'], findings)
  const bootstrap = checkBootstrap(context['bootstrap'], findings)
  if (takesPart(bootstrap))
    checkValue(bootstrap.input, input, {
      fillDefaults: true,
      code: 'tc-bootstrap-input',
      at: '/context/bootstrap/input',
      what: 'bootstrap.input',
      findings,
    })
  const requiredSecrets = checkSecrets(context['required_secrets'], findings)
  const plan: ToolCodePlan = {
    ...code,
    permissions,
    isolation: checkIsolation(context['isolation'], findings),
    requiredSecrets,
  }
  const details: ToolCodeDetails = {
    permissions,
    bootstrap,
    subscriptions: checkSubscriptions(context['subscriptions'], findings),
    ui_schema: checkUiSchema(context['ui_schema'], findings),
    skipExamples:
      bootstrap.mode === 'continuous' && bootstrap.enabled
        ? 'it runs continuously, so its examples are only checked by schema'
        : undefined,
  }
  const needsNetwork = permissions.network !== false || permissions.imports.length > 0
  return makeTool({
    id: name,
    format: 'tool-code',
    tier: options.tier ?? 'project',
    source: options.source ?? { file: options.file ?? null, digest: jsonDigest(document) },
    title: checkTitle(document['title'], name, findings),
    description: checkEra(document, context, 'description', findings),
    version: checkEra(document, context, 'version', findings),
    params: input ?? {},
    returns: output ?? {},
    requires: needsNetwork ? ['net.http'] : [],
    limits: { timeoutMs: limits.timeout_ms, memoryMb: limits.memory_mb, cpuPercent: limits.cpu_percent },
    tags: checkTags(document['tags'], name, findings),
    examples: checkExamples(context['examples'], { input, output }, findings),
    secrets: requiredSecrets,
    runtime: { name: 'deno', plan },
    details,
  })
}

const nameShape = new RegExp(contextShape.properties.name.pattern!)

function checkName(given: unknown, findings: Findings): string | null {
  if (typeof given === 'string' && nameShape.test(given)) return given
  findings.add(
    'tc-name',
    '/context/name',
    given === undefined
      ? 'context.name is missing.'
      : `context.name is ${JSON.stringify(given)}, which is no tool name.`,
    { hint: 'Use 1 to 64 letters, digits, "_", "." or "-", starting with a letter or digit.' },
  )
  return null
}

function checkUnknown(document: JsonObject, context: Record<string, unknown>, findings: Findings): void {
  for (const key of Object.keys(document)) {
    if (!topFields.has(key))
      findings.add(
        'tc-unknown-field',
        `/${escapePointer(key)}`,
        `${key} is not a field of the format; it is kept.`,
      )
  }
  for (const key of Object.keys(context)) {
    if (!contextFields.has(key) && key !== 'source')
      findings.add(
        'tc-unknown-field',
        `/context/${escapePointer(key)}`,
        `context.${key} is not a field of the format; it is kept.`,
      )
  }
}

function checkTitle(given: unknown, name: string, findings: Findings): string {
  if (typeof given === 'string' && given.trim() !== '') return given
  findings.add('tc-field-missing', '/title', `title is missing: "${name}" is shown instead.`)
  return name
}

function checkTags(given: unknown, name: string, findings: Findings): readonly string[] {
  const tags = Array.isArray(given) ? given.filter((tag): tag is string => typeof tag === 'string') : []
  for (const tag of ['tool', `tool:${name}`, 'workspace:tools', 'self-contained']) {
    if (!tags.includes(tag)) findings.add('tc-tag-missing', '/tags', `The tag "${tag}" is missing.`)
  }
  return tags
}

/** Description and version stand in `context`, or at the top level in documents of the other era. */
function checkEra(
  document: JsonObject,
  context: JsonObject,
  key: 'description' | 'version',
  findings: Findings,
): string {
  const topKey = key === 'version' ? 'semantic_version' : 'description'
  const inner = textOf(context[key])
  const outer = textOf(document[topKey])
  if (inner !== null && outer !== null && inner !== outer)
    findings.add(
      'tc-era-conflict',
      `/${topKey}`,
      `${topKey} is "${outer}" but context.${key} is "${inner}"; the one in context is used.`,
      { lesser: true },
    )
  const value = inner ?? outer
  if (value === null) {
    findings.add(
      key === 'version' ? 'tc-version' : 'tc-description',
      `/context/${key}`,
      `context.${key} is missing or blank.`,
    )
    return key === 'version' ? '0.0.0' : ''
  }
  if (key === 'version' && !isSemver(value))
    findings.add(
      'tc-version',
      inner === null ? `/${topKey}` : `/context/${key}`,
      `The version "${value}" is not a semantic version; it sorts below every valid one.`,
      {
        lesser: true,
        hint: 'Write it as MAJOR.MINOR.PATCH, for example "1.0.0".',
      },
    )
  return value
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

function checkCode(
  context: JsonObject,
  imports: readonly string[],
  findings: Findings,
): Pick<ToolCodePlan, 'language' | 'source'> {
  const nothing = { language: 'typescript', source: '' } as const
  const code = context['code']
  const isMisplaced =
    typeof code === 'string' ||
    (typeof context['source'] === 'string' && !(isPlainObject(code) && 'source' in code))
  if (isMisplaced) {
    findings.add(
      'tc-source-misplaced',
      typeof code === 'string' ? '/context/code' : '/context/source',
      'The source of the tool stands in the wrong place.',
      {
        hint: 'Put it at context.code.source: "code": {"language": "typescript", "source": "…"}.',
      },
    )
    return nothing
  }
  if (!isPlainObject(code)) {
    findings.add('tc-source-empty', '/context/code', 'context.code is missing.', {
      hint: 'Add "code": {"language": "typescript", "source": "export async function execute(input, context) { … }"}.',
    })
    return nothing
  }
  const { language, source } = code
  const isKnown = language === 'typescript' || language === 'javascript'
  if (!isKnown)
    findings.add(
      'tc-language',
      '/context/code/language',
      `context.code.language is ${JSON.stringify(language ?? null)}; it must be "typescript" or "javascript".`,
    )
  if (typeof source !== 'string' || source.trim() === '') {
    findings.add('tc-source-empty', '/context/code/source', 'context.code.source is empty or no string.')
    return nothing
  }
  if (isKnown) checkSource(source, language, imports, findings)
  return { language: isKnown ? language : 'typescript', source }
}

function checkSecrets(given: unknown, findings: Findings): readonly string[] {
  const at = '/context/required_secrets'
  if (given === undefined) {
    findings.add('tc-field-missing', at, 'context.required_secrets is missing: the tool gets none.')
    return []
  }
  if (!Array.isArray(given)) {
    findings.add('tc-secrets', at, 'context.required_secrets must be a list of names.')
    return []
  }
  const names: string[] = []
  for (const [index, item] of given.entries()) {
    if (typeof item !== 'string' || !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(item))
      findings.add('tc-secrets', `${at}/${index}`, `${JSON.stringify(item)} is no name of a secret.`)
    else if (names.includes(item))
      findings.add('tc-secrets', `${at}/${index}`, `The secret "${item}" is listed twice.`)
    else names.push(item)
  }
  return names
}
