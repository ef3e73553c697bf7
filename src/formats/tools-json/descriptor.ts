// From files to the three parts of a descriptor: tools, allowlist, execution, in one file or in three. After an
// error here the skill has no tools at all.
import { isPlainObject } from '../../tool/json.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { Problem } from '../../tool/problem.ts'
import { messageOf } from '../../tool/tool-error.ts'
import type { SourceFile } from '../format.ts'
import { type JsonDocument, parseJsonWithPositions } from '../json-with-positions.ts'
import { FileReport, type Report } from './report.ts'
import { descriptorShape } from './shapes.ts'

/** One part and where it is written. */
export interface Part<T> {
  readonly value: T
  readonly file: string
  readonly document: JsonDocument
  /** Pointer of the part in its file. */
  readonly pointer: string
}

export interface Descriptor {
  readonly tools: Part<readonly unknown[]>
  readonly allowlist: Part<{ readonly [binary: string]: readonly string[] }>
  readonly execution: Part<readonly unknown[]>
}

export interface DescriptorFiles {
  readonly tools: () => SourceFile
  /** undefined when there is no such file. */
  readonly allowlist: (() => SourceFile) | undefined
  readonly execution: (() => SourceFile) | undefined
  /** Absolute folder, for problems about files that are not there. */
  readonly dir: string
  readonly skill: string
}

export interface ReadDescriptor {
  /** undefined after an error. */
  readonly descriptor: Descriptor | undefined
  readonly problems: readonly Problem[]
}

const rootFields = Object.keys(descriptorShape.properties).filter((key) => key !== '$schema')

export function readDescriptor(files: DescriptorFiles): ReadDescriptor {
  const problems: Problem[] = []
  const main = readJson(files.tools, `${files.dir}/tools.json`, files.skill, problems)
  if (!main) return { descriptor: undefined, problems }
  const { value } = main.document
  const report = new FileReport(main.file, main.document, files.skill)
  let descriptor: Descriptor | undefined
  if (Array.isArray(value)) descriptor = splitLayout(files, main, report, problems)
  else if (isPlainObject(value)) descriptor = singleLayout(files, main, value, report)
  else report.error('descriptor-shape', '', 'tools.json must hold an object, or a list of tools')
  problems.push(...report.problems)
  return {
    descriptor: problems.some((problem) => problem.severity === 'error') ? undefined : descriptor,
    problems,
  }
}

interface Opened {
  readonly file: string
  readonly document: JsonDocument
}

function singleLayout(
  files: DescriptorFiles,
  main: Opened,
  root: Record<string, unknown>,
  report: Report,
): Descriptor {
  for (const key of Object.keys(root)) {
    if (!rootFields.includes(key) && key !== '$schema')
      report.warning(
        'unknown-field',
        `/${escapePointer(key)}`,
        `${key} is no field of tools.json and is ignored`,
        `Known fields: ${rootFields.join(', ')}.`,
      )
  }
  for (const key of rootFields) {
    if ((root[key] ?? null) === null)
      report.warning('descriptor-key-missing', '', `tools.json has no ${key}; it counts as empty`)
  }
  for (const [name, companion] of [
    ['allowlist.json', files.allowlist],
    ['execution.json', files.execution],
  ] as const) {
    if (companion)
      report.warning(
        'descriptor-companion-ignored',
        '',
        `${name} is ignored, because tools.json holds an object`,
        `Remove ${name}, or make tools.json a list of tools.`,
      )
  }
  const part = (key: string, empty: unknown) => ({ ...main, pointer: `/${key}`, value: root[key] ?? empty })
  const parts = {
    tools: part('tools', []),
    allowlist: part('allowlist', {}),
    execution: part('execution', []),
  }
  return checked(parts, { tools: report, allowlist: report, execution: report })
}

function splitLayout(
  files: DescriptorFiles,
  main: Opened,
  report: Report,
  problems: Problem[],
): Descriptor | undefined {
  const companion = (name: string, read: (() => SourceFile) | undefined) => {
    if (read) return readJson(read, `${files.dir}/${name}`, files.skill, problems)
    report.error(
      'descriptor-companion-missing',
      '',
      `${name} is missing beside tools.json, which holds a list`,
      `Write ${name}, or put all three parts into one object in tools.json.`,
    )
    return undefined
  }
  const allowlist = companion('allowlist.json', files.allowlist)
  const execution = companion('execution.json', files.execution)
  if (!allowlist || !execution) return undefined
  const part = (opened: Opened) => ({ ...opened, pointer: '', value: opened.document.value })
  const reportOf = ({ file, document }: Opened) => new FileReport(file, document, files.skill)
  const reports = { allowlist: reportOf(allowlist), execution: reportOf(execution) }
  const parts = { tools: part(main), allowlist: part(allowlist), execution: part(execution) }
  const found = checked(parts, { tools: report, ...reports })
  problems.push(...reports.allowlist.problems, ...reports.execution.problems)
  return found
}

type PartName = keyof Descriptor

function checked(
  { tools, allowlist, execution }: { readonly [name in PartName]: Part<unknown> },
  reports: { readonly [name in PartName]: Report },
): Descriptor {
  if (!Array.isArray(tools.value))
    reports.tools.error('descriptor-shape', tools.pointer, 'tools must be a list')
  if (!Array.isArray(execution.value))
    reports.execution.error('descriptor-shape', execution.pointer, 'execution must be a list')
  if (!isPlainObject(allowlist.value)) {
    reports.allowlist.error('descriptor-shape', allowlist.pointer, 'allowlist must be an object of lists')
  } else {
    for (const [binary, list] of Object.entries(allowlist.value)) {
      if (!Array.isArray(list) || list.some((item) => typeof item !== 'string'))
        reports.allowlist.error(
          'descriptor-shape',
          `${allowlist.pointer}/${escapePointer(binary)}`,
          `the allowlist of ${JSON.stringify(binary)} must be a list of strings`,
        )
    }
  }
  return { tools, allowlist, execution } as Descriptor
}

function readJson(
  read: () => SourceFile,
  file: string,
  skill: string,
  problems: Problem[],
): Opened | undefined {
  let document: JsonDocument
  try {
    document = parseJsonWithPositions(read().text)
  } catch (error) {
    problems.push({
      code: 'descriptor-parse',
      severity: 'error',
      message: `${file}:1:1: it cannot be read: ${messageOf(error).replace(/\.$/, '')}.`,
      hint: 'Make it a readable file of UTF-8 text.',
      file,
      line: 1,
      column: 1,
      skill,
    })
    return undefined
  }
  for (const fault of document.faults) {
    const isRepeat = fault.kind === 'duplicate-key'
    problems.push({
      code: isRepeat ? 'descriptor-duplicate-key' : 'descriptor-parse',
      severity: 'error',
      message: `${file}:${fault.line}:${fault.column}: ${fault.message}.`,
      hint: isRepeat ? 'Keep one of the two.' : 'Fix the JSON there.',
      file,
      line: fault.line,
      column: fault.column,
      skill,
    })
  }
  return document.faults.length > 0 ? undefined : { file, document }
}
