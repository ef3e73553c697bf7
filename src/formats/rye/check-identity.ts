// Rules about what a tool says it is: required fields, id, category, version, executor, capabilities.
import { isConfigType, needsNoExecutor } from './executors.ts'
import { describe, type FieldValues } from './field-values.ts'
import { categoryOf } from './file-kinds.ts'
import type { ProblemList } from './problem-list.ts'
import type { Reading } from './reading.ts'
import type { FieldName } from './shapes.ts'

export interface Identity {
  /** Path under `tools/`. */
  readonly path: string
  readonly isCode: boolean
  readonly reading: Reading
  readonly values: FieldValues
}

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/
const snake = /^[a-z0-9]+(_[a-z0-9]+)*$/
const categoryAndName = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)+$/
const capability = /^[a-z][\w-]*(\.([\w-]+|\*))+$/

export function checkIdentity(identity: Identity, problems: ProblemList): void {
  checkRequired(identity, problems)
  checkToolId(identity, problems)
  checkCategory(identity, problems)
  checkVersion(identity.values, problems)
  checkExecutor(identity, problems)
  for (const [index, item] of (identity.values.texts('requires') ?? []).entries()) {
    if (!capability.test(item))
      problems.addAt(
        'capability-format',
        'requires',
        `/${index}`,
        `"${item}" is no capability.`,
        'Capabilities are dotted, for example fs.write or net.http.',
      )
  }
  if (identity.values.map('metadata')?.['deprecated'] === true)
    problems.addAt('deprecated', 'metadata', '/deprecated', 'This tool is deprecated.')
}

function checkRequired({ isCode, values, path }: Identity, problems: ProblemList): void {
  const type = values.text('tool_type')
  const missing = (field: FieldName, example: string): void =>
    problems.add('missing-field', `${field} is missing.`, {
      hint: isCode
        ? `Add __${field === 'description' ? 'tool_description' : field}__ = "${example}".`
        : `Add ${field}: ${example}.`,
    })
  if (!values.has('version')) missing('version', '1.0.0')
  if (!values.has('tool_type')) missing('tool_type', isCode ? 'script' : 'yaml')
  if (!values.has('category') && categoryOf(path) !== '') missing('category', categoryOf(path))
  if (!values.has('description')) {
    if (type === 'runtime' || type === 'library')
      problems.add(
        'description-fallback',
        'description is missing; the first line of the documentation is shown instead.',
        {
          hint: 'Say in one sentence what this is for.',
        },
      )
    else missing('description', 'What the tool does')
  }
  if (isCode && !values.has('executor_id') && !needsNoExecutor(type ?? '') && !isConfigType(type ?? ''))
    missing('executor_id', 'rye/core/runtimes/python/function')
}

function checkToolId({ isCode, values, path }: Identity, problems: ProblemList): void {
  const id = values.text('tool_id')
  if (id === undefined) {
    if (!isCode && !values.has('tool_id'))
      problems.add('tool-id-derived', 'tool_id is missing; it is derived from the file name.', {
        hint: `Add tool_id: ${suggestedId(path)}.`,
      })
    return
  }
  if (kebab.test(id)) return
  if (snake.test(id) || categoryAndName.test(id))
    problems.addAt(
      'tool-id-style',
      'tool_id',
      '',
      `tool_id "${id}" is not kebab-case.`,
      `Write ${suggestedId(id)}.`,
    )
  else
    problems.addAt(
      'tool-id-invalid',
      'tool_id',
      '',
      `tool_id "${id}" is not kebab-case.`,
      `Use lower-case letters, digits and single hyphens, for example ${suggestedId(id) || 'my-tool'}.`,
    )
}

function suggestedId(text: string): string {
  const name = text.slice(text.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

function checkCategory({ values, path }: Identity, problems: ProblemList): void {
  const category = values.text('category')
  const expected = categoryOf(path)
  if (category === undefined || category === expected) return
  problems.addAt(
    'category-mismatch',
    'category',
    '',
    `category is "${category}", but the file stands in tools/${expected}.`,
    `Write "${expected}", or move the file to tools/${category}/.`,
  )
}

function checkVersion(values: FieldValues, problems: ProblemList): void {
  const version = values.raw('version')
  if (version === undefined || (typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version))) return
  const hint =
    typeof version === 'string' ? 'Use three numbers: X.Y.Z.' : 'Quote it and use three numbers: "1.0.0".'
  problems.addAt('version-invalid', 'version', '', `version must be X.Y.Z; it is ${describe(version)}.`, hint)
}

function checkExecutor({ isCode, values }: Identity, problems: ProblemList): void {
  const type = values.text('tool_type') ?? ''
  const executor = values.raw('executor_id')
  if (typeof executor === 'string' || (values.has('executor_id') && executor === undefined)) return
  const isAbsent = !values.has('executor_id')
  const say = (code: 'executor-null-type' | 'executor-missing', message: string, hint: string): void =>
    isAbsent ? problems.add(code, message, { hint }) : problems.addAt(code, 'executor_id', '', message, hint)
  if (needsNoExecutor(type)) {
    if (isAbsent)
      problems.add('executor-absent', 'executor_id is missing; it counts as null.', {
        hint: isCode ? 'Add __executor_id__ = None.' : 'Add executor_id: null.',
      })
  } else if (isConfigType(type)) {
    say(
      'executor-null-type',
      `A ${type} entry without executor only holds settings; it cannot be called.`,
      'Name an executor, or use the type library.',
    )
  } else if (!isAbsent || !isCode) {
    say(
      'executor-missing',
      `Type ${type || '(none)'} needs an executor; null is for primitive, runtime, library and mcp_server.`,
      'Name the runtime that runs it, for example rye/core/runtimes/python/function.',
    )
  }
}
