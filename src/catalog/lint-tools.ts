// Text in definitions that may steer a model: warnings for whoever reviews a tool, each with its place. They are
// hints and no protection; what a tool may do is decided elsewhere.
import { readFileSync } from 'node:fs'
import { beginsWith } from '../files/begins-with.ts'
import { actionsOf } from '../tool/action-tool.ts'
import { isPlainObject } from '../tool/json.ts'
import { LineIndex } from '../tool/line-index.ts'
import { lintCharacters, lintDescription, type TextFinding } from '../tool/lint-text.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'

interface Finding extends Omit<TextFinding, 'code'> {
  readonly code: TextFinding['code'] | 'tool-reference'
}

const hints: Record<Finding['code'], string> = {
  'hidden-unicode': 'Remove it, or write it as an escape if it is meant.',
  'bidi-control': 'Remove it: what is shown is not what is read.',
  'html-comment': 'Say it in plain sight, or remove it.',
  'model-instructions':
    'Describe what the tool does; what a model should do belongs into a prompt or a skill.',
  'tool-reference':
    'Describe this tool by itself; a tool that speaks for another one can redirect its calls.',
}

const words: Record<Finding['code'], (what: string) => string> = {
  'hidden-unicode': (what) => `holds characters that are not shown (${what})`,
  'bidi-control': (what) => `holds characters that turn the direction of text (${what})`,
  'html-comment': (what) => `holds ${what}, which people do not see and models do`,
  'model-instructions': (what) => `gives orders to a model: ${what}`,
  'tool-reference': (what) => `speaks of another tool: ${what}`,
}

/** `tools` are those to look at, `all` those whose names may turn up. */
export function lintTools(tools: readonly Tool[], all: readonly Tool[]): Problem[] {
  const files = new Files()
  const names = namesOf(all)
  const problems = tools.flatMap((tool) => lintTool(tool, names, files))
  const paths = new Set(tools.flatMap((tool) => (tool.details?.server ? [] : (tool.source.files ?? []))))
  return [...problems, ...[...paths].flatMap((file) => lintFile(file, files, problems))]
}

function lintTool(tool: Tool, names: ReadonlyMap<string, Tool>, files: Files): Problem[] {
  const isForProgrammers = planOf(tool, 'openapi') !== undefined
  return textsOf(tool).flatMap(({ where, text }) => {
    const findings: Finding[] = [
      ...lintDescription(text, { isForProgrammers }),
      ...referencesIn(text, tool, names),
    ]
    return findings.map((finding) => ({
      code: finding.code,
      severity: 'warning' as const,
      message: `${tool.id}: the ${where} ${words[finding.code](finding.what)}.`,
      hint: hints[finding.code],
      ...files.placeOf(tool, text, finding),
      toolId: tool.id,
    }))
  })
}

/** How many places of one file are told one by one. */
const maxPlaces = 20

/** Characters anywhere in a file: code that reads differently from what it does. */
function lintFile(file: string, files: Files, known: readonly Problem[]): Problem[] {
  const text = files.textOf(file)
  if (text === undefined || isCompiled(file)) return []
  const told = new Set(known.filter((problem) => problem.file === file).map(({ line }) => line))
  const found = lintCharacters(text)
    .map((finding) => ({ ...finding, place: { file, ...files.lineAt(file, finding.index) } }))
    .filter(({ place }) => !told.has(place.line))
  const more = found.length - maxPlaces
  return found.slice(0, maxPlaces).map(({ code, what, place }, index) => {
    const rest = more > 0 && index === maxPlaces - 1 ? ` ${more} more places of this file do so.` : ''
    const message = `The file ${words[code](what)}.${rest}`
    return { code, severity: 'warning' as const, message, hint: hints[code], ...place }
  })
}

/** A program that nobody reads: for Linux, for macOS, for WebAssembly. */
function isCompiled(file: string): boolean {
  return ['\x7fELF', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe', '\0asm'].some((mark) => beginsWith(file, mark))
}

/** Every text of a definition that a model is shown. */
function textsOf(tool: Tool): { readonly where: string; readonly text: string }[] {
  return [
    { where: 'title', text: tool.title ?? '' },
    { where: 'description', text: tool.description },
    ...schemaTexts(tool.params, 'parameters'),
    ...schemaTexts(tool.returns, 'result'),
    ...actionsOf(tool).map((action) => ({
      where: `description of ${action.name}`,
      text: action.description,
    })),
  ].filter(({ text }) => text !== '')
}

const maxDepth = 32

function schemaTexts(
  schema: unknown,
  where: string,
  depth = 0,
): { readonly where: string; readonly text: string }[] {
  if (depth > maxDepth) return []
  if (Array.isArray(schema)) return schema.flatMap((item) => schemaTexts(item, where, depth + 1))
  if (!isPlainObject(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (typeof value === 'string')
      return key === 'description' || key === 'title' ? [{ where: `${key} of ${where}`, text: value }] : []
    if (key === 'properties' && isPlainObject(value))
      return Object.entries(value).flatMap(([name, part]) => schemaTexts(part, `"${name}"`, depth + 1))
    return schemaTexts(value, where, depth + 1)
  })
}

/** Names that could not be ordinary words, with the tool each belongs to. */
function namesOf(tools: readonly Tool[]): Map<string, Tool> {
  const names = new Map<string, Tool>()
  for (const tool of tools) {
    if (tool.kind !== 'callable' || tool.tier === 'system') continue
    const own = planOf(tool, 'mcp')?.tool
    for (const name of [tool.id, tool.name, ...tool.aliases, ...(typeof own === 'string' ? [own] : [])])
      if (/^[\w]+[_/-][\w/-]+$/.test(name) && !names.has(name)) names.set(name, tool)
  }
  return names
}

function referencesIn(text: string, tool: Tool, names: ReadonlyMap<string, Tool>): Finding[] {
  for (const match of text.matchAll(/[\w][\w/-]*[\w]/g)) {
    const other = names.get(match[0])
    if (!other || other.id === tool.id || isSameMaker(tool, other)) continue
    return [{ code: 'tool-reference', index: match.index, length: match[0].length, what: match[0] }]
  }
  return []
}

/** Tools of one file or one server may speak of each other. */
function isSameMaker(one: Tool, other: Tool): boolean {
  if (one.details?.server || other.details?.server) return one.details?.server === other.details?.server
  return one.source.file === other.source.file
}

/** How one text may stand in a file: plain, as JSON, with every unusual character as an escape. */
const spellings: readonly ((part: string) => string)[] = [
  (part) => part,
  (part) => JSON.stringify(part).slice(1, -1),
  (part) => part.replace(/[^\x20-\x7e]/g, (char) => `\\u${hex(char)}`),
  (part) => part.replace(/[^\x20-\x7e]/g, (char) => `\\u${hex(char).toUpperCase()}`),
]

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(4, '0')
}

/** Texts of files with their lines, read once. */
class Files {
  readonly #texts = new Map<string, { readonly text: string; readonly lines: LineIndex } | undefined>()

  textOf(file: string): string | undefined {
    return this.#read(file)?.text
  }

  lineAt(file: string, index: number): { line: number; column: number } {
    return this.#read(file)!.lines.at(index)
  }

  /** Where a finding of a definition's text stands in its file: as it is, or as JSON and code spell it. */
  placeOf(tool: Tool, text: string, finding: Finding): Pick<Problem, 'file' | 'line' | 'column'> {
    const { file, line } = tool.source
    if (!file) return {}
    const whole = tool.details?.server ? undefined : this.textOf(file)
    const from = Math.max(0, finding.index - 8)
    const end = finding.index + Math.min(finding.length, 24)
    for (const spell of spellings) {
      for (const lead of [text.slice(from, finding.index), '']) {
        const before = spell(lead)
        const at = whole?.indexOf(before + spell(text.slice(finding.index, end))) ?? -1
        if (at !== -1) return { file, ...this.lineAt(file, at + before.length) }
      }
    }
    // Spelled in yet another way: the place where the text begins is near enough.
    const start = whole?.indexOf(text.slice(0, 16)) ?? -1
    if (start !== -1) return { file, ...this.lineAt(file, start) }
    return { file, line: line ?? 1 }
  }

  #read(file: string) {
    if (!this.#texts.has(file)) {
      let entry: { readonly text: string; readonly lines: LineIndex } | undefined
      try {
        const text = readFileSync(file, 'utf8')
        entry = { text, lines: new LineIndex(text) }
      } catch {
        // A file that cannot be read has been reported as that.
      }
      this.#texts.set(file, entry)
    }
    return this.#texts.get(file)
  }
}
