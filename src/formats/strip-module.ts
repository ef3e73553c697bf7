// A module without its metadata: the statements that only describe the tool are taken out, the default export gets a
// name, and what an earlier conversion wrapped around it is unwrapped.
import { parseScript } from './parse-script.ts'
import { type Code, type Convention, inexpressible } from './portable.ts'

export const adapterMark = '// toolcrib convert: the entry follows the convention of '
const entryName = 'convertedEntry'

interface Module {
  /** Of the tool it holds. */
  readonly id: string
  readonly path: string
  readonly text: string
  /** Tells the names of exported constants that describe the tool. */
  isMetadata(name: string): boolean
}

interface Statement {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly declaration?: {
    readonly type: string
    readonly start: number
    readonly name?: string
    readonly id?: { readonly name: string } | null
    readonly declarations?: readonly { readonly id: { readonly name?: string } }[]
  } | null
  readonly source?: { readonly value: string } | null
  readonly specifiers?: readonly {
    readonly local: { readonly name?: string }
    readonly exported: { readonly name?: string }
  }[]
}

export function stripModule(module: Module, convention: Convention): Code {
  const { path, text } = module
  const language = path.endsWith('.ts') ? 'typescript' : 'javascript'
  const mark = text.indexOf(adapterMark)
  if (mark !== -1) {
    const [, own, entry] = /^(\S+), (\S+)/.exec(text.slice(mark + adapterMark.length)) ?? []
    const inner = stripStatements({ ...module, text: text.slice(0, mark) }, null)
    return { kind: 'code', language, source: inner.source, entry: entry!, convention: own as Convention }
  }
  const wanted = convention === 'tool-code' ? 'execute' : 'default'
  const { source, entry } = stripStatements(module, wanted)
  return { kind: 'code', language, source, entry: entry!, convention }
}

function stripStatements(
  { id, path, text, isMetadata }: Module,
  wanted: 'default' | 'execute' | null,
): { source: string; entry: string | null } {
  const { result, fault } = parseScript(path, text)
  if (!result || fault) throw inexpressible(id, `its code cannot be parsed: ${fault?.message}`)
  const edits: { start: number; end: number; text: string }[] = []
  let entry: string | null = null
  for (const statement of result.program.body as unknown as readonly Statement[]) {
    if (statement.source && /^[./]/.test(statement.source.value))
      throw inexpressible(id, `it imports ${statement.source.value}, which would not move with it`)
    if (statement.type === 'ExportDefaultDeclaration') {
      const { declaration } = statement
      if (declaration?.type === 'Identifier') {
        entry = declaration.name!
        edits.push({ start: statement.start, end: skipLineEnd(text, statement.end), text: '' })
      } else if (declaration?.type === 'FunctionDeclaration' && declaration.id) {
        entry = declaration.id.name
        edits.push({ start: statement.start, end: declaration.start, text: '' })
      } else {
        entry = entryName
        edits.push({ start: statement.start, end: declaration!.start, text: `const ${entryName} = ` })
      }
    } else if (statement.type === 'ExportNamedDeclaration') {
      const { declaration } = statement
      if (!declaration) {
        const own = statement.specifiers?.find(({ exported }) => exported.name === wanted)
        if (!own) continue
        if (statement.specifiers!.length > 1)
          throw inexpressible(id, 'its entry is exported in a list with others; export it alone')
        entry = own.local.name!
        edits.push({ start: statement.start, end: skipLineEnd(text, statement.end), text: '' })
        continue
      }
      const names = declaration.declarations?.map((item) => item.id.name ?? '') ?? []
      if (names.length > 0 && names.every(isMetadata))
        edits.push({ start: statement.start, end: skipLineEnd(text, statement.end), text: '' })
      else if (declaration.id?.name === wanted || (wanted && names.includes(wanted))) {
        entry = wanted
        edits.push({ start: statement.start, end: declaration.start, text: '' })
      }
    }
  }
  if (wanted && !entry) throw inexpressible(id, `it has no ${wanted} export that is a function`)
  let source = text
  for (const edit of edits.reverse())
    source = source.slice(0, edit.start) + edit.text + source.slice(edit.end)
  return { source: `${source.trim()}\n`, entry }
}

function skipLineEnd(text: string, end: number): number {
  return text[end] === '\n' ? end + 1 : end
}
