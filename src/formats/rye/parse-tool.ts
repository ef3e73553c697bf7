// One file to at most one tool. Everything that one file alone can tell is judged here; what needs the others
// (chains, duplicates) is left to linking.
import { isPlainObject, type Json, type JsonObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import { type Example, type JsonSchema, makeTool, type Tool } from '../../tool/tool.ts'
import type { Parsed, ScannedFolder, SourceFile } from '../format.ts'
import { actionsSchema, readActions } from './actions.ts'
import { checkIdentity } from './check-identity.ts'
import { readConfigResolve } from './config-resolve.ts'
import { readCost, readRetry } from './economy.ts'
import { kindOf, shortExecutor } from './executors.ts'
import type { RyeFacts } from './facts.ts'
import { checkFieldTypes, type FieldValues } from './field-values.ts'
import { idOf, isCodeFile } from './file-kinds.ts'
import { propertiesOf } from './parameter-list.ts'
import { checkSchema, mustTakeObject, paramsSchema } from './params-schema.ts'
import { ProblemList } from './problem-list.ts'
import { readToolFile } from './read-file.ts'
import type { Reading } from './reading.ts'

export function parseTool(scanned: ScannedFolder, source: SourceFile): Parsed {
  const path = source.path.slice(`${scanned.ai}tools/`.length)
  const id = idOf(path)
  const reading = readToolFile(path, source.text)
  const isCode = isCodeFile(path)
  const problems = new ProblemList(source.file, id, reading)
  for (const note of reading.notes) {
    if (note.code === 'signature-line') continue
    const { code, message, ...where } = note
    problems.add(code, message, where)
  }

  const isUnreadable = reading.notes.some((note) => note.code === 'metadata-parse')
  if (!reading.fields.has('executor_id') && !reading.fields.has('tool_type')) {
    // Nothing says that this is a tool; a broken file that names the fields was meant to be one.
    if (!isUnreadable) return { tools: [], problems: [] }
    const meant = /\b_*(?:tool_type|executor_id)_*\b/.test(source.text)
    return meant
      ? { tools: [brokenTool(id, scanned, source, problems.all)], problems: [] }
      : { tools: [], problems: problems.all }
  }
  if (isHelper(reading, isCode)) {
    problems.add(
      'helper-typed',
      `${path} has a tool_type but no executor and nothing to call, so it counts as a helper.`,
      {
        hint: 'Name an executor_id, or remove the tool_type.',
      },
    )
    return { tools: [], problems: problems.all }
  }

  const values = checkFieldTypes(reading, problems)
  checkIdentity({ path, isCode, reading, values }, problems)
  return { tools: [buildTool({ id, path, scanned, source, reading, values, problems })], problems: [] }
}

function isHelper(reading: Reading, isCode: boolean): boolean {
  const code = reading.code
  if (!isCode || !code || reading.fields.has('executor_id')) return false
  return !code.hasExecute && !code.hasMain && !code.hasDefault
}

function brokenTool(
  id: string,
  scanned: ScannedFolder,
  source: SourceFile,
  problems: readonly Problem[],
): Tool {
  return makeTool({
    id,
    format: 'rye',
    tier: scanned.tier,
    source: { file: source.file, digest: source.digest, line: 1 },
    problems,
    details: {
      rye: makeFacts(scanned, {
        path: source.path.slice(`${scanned.ai}tools/`.length),
        reading: null,
        values: emptyValues,
        base: {},
        configResolve: null,
      }),
    },
  })
}

const emptyValues: FieldValues = {
  has: () => false,
  text: () => undefined,
  texts: () => undefined,
  map: () => undefined,
  list: () => undefined,
  raw: () => undefined,
}

function buildTool({
  id,
  path,
  scanned,
  source,
  reading,
  values,
  problems,
}: {
  readonly id: string
  readonly path: string
  readonly scanned: ScannedFolder
  readonly source: SourceFile
  readonly reading: Reading
  readonly values: FieldValues
  readonly problems: ProblemList
}): Tool {
  const type = values.text('tool_type') ?? ''
  const kind = kindOf(type)
  const executor = values.text('executor_id') ?? null
  const code = reading.code
  checkEntry(reading, type, executor, problems)
  const entersMain = code !== null && path.endsWith('.py') && code.hasMain && !code.hasExecute
  const { schema: base, from } = paramsSchema(reading, values, problems, entersMain)
  if (kind === 'callable' && (from === 'input_schema' || from === 'config_schema'))
    mustTakeObject(from, base, problems)
  const actions = readActions(values, base, problems)
  const params = actions.length > 0 ? actionsSchema(base, actions) : base
  const returns = returnsSchema(values, problems)
  const retry = readRetry(values, problems)
  const cost = readCost(values, problems)
  const timeout = values.raw('timeout') as number | undefined
  const toolId = values.text('tool_id')
  const metadata = values.map('metadata')
  const description = values.text('description') ?? reading.docstring?.trim().split('\n')[0]?.trim() ?? ''
  const facts = makeFacts(scanned, {
    path,
    reading,
    values,
    base,
    configResolve: configRequests(values, problems),
  })
  const reason = notCallable(kind, type, code?.classes ?? [])
  return makeTool({
    id,
    description,
    version: typeof values.raw('version') === 'string' ? (values.raw('version') as string) : '0.0.0',
    format: 'rye',
    tier: scanned.tier,
    kind,
    aliases: toolId !== undefined && toolId !== id ? [toolId] : [],
    params,
    returns,
    requires: values.texts('requires') ?? null,
    limits: timeout === undefined ? {} : { timeoutMs: timeout * 1000 },
    retry,
    cost,
    tags: values.texts('tags') ?? [],
    examples: examplesOf(values),
    source: { file: source.file, digest: source.digest, line: 1, files: [source.file] },
    reason,
    problems: problems.all,
    details: {
      rye: facts,
      actions: actions.length > 0 ? actions : undefined,
      documentation: values.map('documentation'),
      metadata,
      experimental: metadata?.['experimental'] === true ? true : undefined,
      docstring: reading.docstring || undefined,
      outputs: outputsDocumentation(values),
      unknown: Object.keys(reading.unknown).length > 0 ? reading.unknown : undefined,
    },
  })
}

function checkEntry(reading: Reading, type: string, executor: string | null, problems: ProblemList): void {
  const code = reading.code
  if (!code || executor === null || reading.notes.some((note) => note.code === 'metadata-parse')) return
  const target = shortExecutor(executor) ?? executor
  if (kindOf(type) !== 'callable') return
  if (target === 'rye/core/runtimes/python/function' && !code.hasExecute && !code.hasMain && !code.boundEntry)
    problems.add('entry-missing', 'The file defines neither execute() nor main().', {
      hint: 'Add def execute(params, project_path): …, or use the executor rye/core/runtimes/python/script.',
    })
  if (target === 'rye/core/runtimes/python/script' && !code.hasMainBlock)
    problems.add('no-main-block', 'The script has no `if __name__ == "__main__":` block.', {
      hint: 'Add one, so that the file also runs on its own.',
    })
}

const schemaMarks = ['type', 'properties', 'items', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf']

function isSchemaLike(value: Json | undefined): value is JsonObject {
  return isPlainObject(value) && schemaMarks.some((mark) => Object.hasOwn(value, mark))
}

function returnsSchema(values: FieldValues, problems: ProblemList): JsonSchema | null {
  const outputs = values.raw('outputs')
  const schema = values.map('output_schema')
  if (schema) {
    checkSchema('output_schema', schema, problems)
    if (isSchemaLike(outputs) && JSON.stringify(outputs) !== JSON.stringify(schema))
      problems.addAt(
        'schema-conflict',
        'outputs',
        '',
        'outputs differs from output_schema, which is the one used.',
        'Keep one of them, or make them equal.',
      )
    return schema
  }
  if (!isSchemaLike(outputs)) return null
  checkSchema('outputs', outputs, problems)
  return outputs
}

function outputsDocumentation(values: FieldValues): Json | undefined {
  const outputs = values.raw('outputs')
  return isSchemaLike(outputs) ? undefined : outputs
}

function configRequests(values: FieldValues, problems: ProblemList): RyeFacts['configResolve'] {
  const given = values.raw('config_resolve')
  if (given === undefined) return null
  const read = readConfigResolve(given)
  if ('requests' in read) return read
  problems.addAt(
    'config-resolve-invalid',
    'config_resolve',
    read.pointer,
    `CONFIG_RESOLVE ${read.message}.`,
    'Give path (below .ai/config/) and mode: deep_merge or first_match.',
  )
  return null
}

function notCallable(kind: Tool['kind'], type: string, classes: readonly string[]): string | undefined {
  if (kind === 'callable') return undefined
  const article = /^[aeiou]/.test(type) ? 'an' : 'a'
  const what = `is ${article} ${type}, not a callable tool`
  return classes.length > 0 ? `defines class ${classes.join(', ')}; it ${what}` : what
}

function examplesOf(values: FieldValues): Example[] {
  const list = values.map('documentation')?.['examples']
  if (!Array.isArray(list)) return []
  return list.filter(isPlainObject).flatMap((item) => {
    const { title, params, expect, expectError, match } = item as Record<string, unknown>
    if (params === undefined) return []
    return [
      {
        params,
        title: typeof title === 'string' ? title : undefined,
        expect,
        expectError: typeof expectError === 'string' ? expectError : undefined,
        match: match === 'exact' || match === 'schema' || match === 'partial' ? match : undefined,
      },
    ]
  })
}

function makeFacts(
  scanned: ScannedFolder,
  {
    path,
    reading,
    values,
    base,
    configResolve,
  }: {
    readonly path: string
    readonly reading: Reading | null
    readonly values: FieldValues
    readonly base: JsonSchema
    readonly configResolve: RyeFacts['configResolve']
  },
): RyeFacts {
  return {
    ai: `${scanned.dir}/${scanned.ai}`.replace(/\/+$/, ''),
    path,
    scanOrder: scanned.order,
    type: values.text('tool_type') ?? '',
    executor: values.text('executor_id') ?? null,
    hasExecutor: values.has('executor_id'),
    requires: values.texts('requires') ?? null,
    config: values.map('config') ?? {},
    envConfig: values.map('env_config') ?? null,
    anchor: values.map('anchor') ?? null,
    verifyDeps: values.map('verify_deps') ?? null,
    extensions: values.texts('extensions') ?? null,
    timeout: (values.raw('timeout') as number | undefined) ?? null,
    configResolve,
    code: reading?.code ?? null,
    declaredParams: Object.keys(propertiesOf(base)),
  }
}
