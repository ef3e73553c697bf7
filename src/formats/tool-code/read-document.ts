// A tool.code.v1 document as it is kept in files: one JSON file, a JSON file that names its source beside it
// (`context.code.source_file`), or a `*.tool.ts` that exports `tool` and `execute` (D16). Joined here, so that everybody
// who reads the file sees the same document.
import { basename, dirname, join } from 'node:path'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'
import type { Position } from '../../tool/line-index.ts'
import { readExportedLiteral } from '../exported-literal.ts'
import { parseModule } from '../parse-script.ts'
import type { FindPosition } from './findings.ts'

/** Names of modules that are tools by themselves. */
export const toolModule = /\.tool\.(ts|js)$/
/** Names that `source_file` may have: of a file in the same folder. */
export const sourceName = /^[\w][\w.-]*\.(?:ts|mts|js|mjs)$/

export interface ToolDocument {
  readonly document: JsonObject
  /** Where the program stands, when that is another file or the module itself. */
  readonly sourceFile?: string
  /** Positions in the module, for documents that come from one. */
  readonly position?: FindPosition
  /** Why the parts cannot be joined, at which key. */
  readonly fault?: { readonly pointer: string; readonly message: string; readonly hint: string }
}

/** Puts the program of `source_file` into the document; `beside` reads a file of the same folder. */
export function joinSource(
  document: JsonObject,
  file: string,
  beside: (name: string) => string | undefined,
): ToolDocument {
  const context = document['context']
  const code = isPlainObject(context) ? context['code'] : undefined
  if (!isPlainObject(context) || !isPlainObject(code) || code['source_file'] === undefined)
    return { document }
  const { source_file: name, ...rest } = code
  const pointer = '/context/code/source_file'
  const fault = (message: string, hint: string) => ({ document, fault: { pointer, message, hint } })
  if (typeof name !== 'string' || !sourceName.test(name))
    return fault(
      `context.code.source_file is ${JSON.stringify(name)}, which names no source file of the same folder.`,
      'Name a .ts or .js file beside the document, without a path.',
    )
  if (rest['source'] !== undefined)
    return fault('context.code has both source and source_file.', 'Keep one of the two.')
  const source = beside(name)
  if (source === undefined)
    return fault(`${name} cannot be read beside ${basename(file)}.`, `Put the program into ${name}.`)
  const language = rest['language'] ?? (/\.m?ts$/.test(name) ? 'typescript' : 'javascript')
  return {
    document: { ...document, context: { ...context, code: { ...rest, language, source } } as JsonObject },
    sourceFile: join(dirname(file), name),
  }
}

/** A module that exports `tool`, the fields of `context` but for `code`; null when it exports none. */
export function documentOfModule(file: string, text: string): ToolDocument | null {
  const language = file.endsWith('.ts') ? 'typescript' : 'javascript'
  const parsed = parseModule(file, text, language === 'typescript' ? 'ts' : 'js')
  const read = parsed && readExportedLiteral(parsed.program, text, 'tool')
  const name = basename(file).replace(toolModule, '')
  const { title, tags, limits, ...fields } = (read?.fields ?? { name, description: '' }) as JsonObject
  const own = typeof fields['name'] === 'string' ? fields['name'] : name
  const isBroken = !parsed || parsed.errors.some(({ severity }) => severity === 'Error')
  const isTool =
    read?.fields || read?.dynamicAt || read?.repeated || (isBroken && /\bexport const tool\b/.test(text))
  if (!isTool) return null
  const known = Array.isArray(tags) ? tags : []
  const standard = ['tool', `tool:${own}`, 'workspace:tools', 'self-contained']
  const document: JsonObject = {
    schema_name: 'tool.code.v1',
    title: title ?? own,
    tags: [...known, ...standard.filter((tag) => !known.includes(tag))],
    // A module states what differs from the defaults; one document for all readers states everything.
    context: {
      name: own,
      required_secrets: [],
      permissions: {},
      examples: [],
      ...fields,
      limits: isPlainObject(limits ?? {}) ? { ...standardLimits, ...(limits as JsonObject) } : (limits ?? {}),
      code: { language, source: text },
    },
  }
  const at = read?.dynamicAt ?? read?.repeated
  return {
    document,
    sourceFile: file,
    position: (pointer) => {
      const [, top, ...path] = pointer
        .split('/')
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      if (pointer === '/tool') return at
      return read?.positionOf(top === 'context' ? path : top ? [top] : []) ?? start
    },
    fault: at && {
      pointer: '/tool',
      message: 'The exported `tool` is computed, so it cannot be read without running the module.',
      hint: 'Write `export const tool = { … }` as a plain literal.',
    },
  }
}

const start: Position = { line: 1, column: 1 }
const standardLimits = { memory_mb: 128, timeout_ms: 30_000, cpu_percent: 100 }
