// Python and YAML for the editor: read token by token, which colours as a whole grammar does at a tenth of its weight.
import { indentService, indentUnit, StreamLanguage, type StringStream } from '@codemirror/language'

const pythonWords = new Set(
  'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)
const pythonValues = new Set(['True', 'False', 'None'])

interface PythonState {
  /** The quotes that end the text which is open at the end of the line. */
  open: string | null
  /** After `def` and `class`: the next word is a new name. */
  isNaming: boolean
}

export const pythonTokens = StreamLanguage.define<PythonState>({
  name: 'python',
  startState: () => ({ open: null, isNaming: false }),
  token(stream, state) {
    if (state.open !== null) return readText(stream, state, state.open)
    if (stream.eatSpace()) return null
    if (stream.match(/^#.*/)) return 'comment'
    const text = stream.match(/^(?:[rbuf]|br|rb|fr|rf)?("""|'''|"|')/i) as RegExpMatchArray | null
    if (text) return readText(stream, state, text[1]!)
    if (stream.match(/^@[\w.]+/)) return 'meta'
    if (stream.match(/^(?:0[xob][\da-f_]+|\d[\d_]*(?:\.[\d_]*)?(?:e[+-]?\d+)?j?)/i)) return 'number'
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null
    if (!word) {
      stream.next()
      return null
    }
    if (pythonWords.has(word[0])) {
      state.isNaming = word[0] === 'def' || word[0] === 'class'
      return 'keyword'
    }
    if (pythonValues.has(word[0])) return 'bool'
    const isName = state.isNaming
    state.isNaming = false
    return isName ? 'variableName.definition' : 'variableName'
  },
})

/** After a colon the next line stands one step further in, else as far as the one before. */
const pythonIndent = indentService.of((context, pos) =>
  /:\s*(#.*)?$/.test(context.lineAt(pos, -1).text) ? context.lineIndent(pos, -1) + context.unit : null,
)

export const pythonLanguage = [pythonTokens, pythonIndent, indentUnit.of('    ')]

function readText(stream: StringStream, state: PythonState, quotes: string): string {
  state.open = quotes.length === 3 ? quotes : null
  while (!stream.eol()) {
    if (stream.match(quotes)) {
      state.open = null
      break
    }
    if (stream.next() === '\\') stream.next()
  }
  return 'string'
}

export const yamlTokens = StreamLanguage.define<unknown>({
  name: 'yaml',
  token(stream) {
    if (stream.eatSpace()) return null
    if (stream.match(/^#.*/)) return 'comment'
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#:,[\]{}"'][^#:,[\]{}]*?)(?=\s*:(?:\s|$))/))
      return 'propertyName'
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)/)) return 'string'
    if (stream.match(/^(?:---|\.\.\.|[&*!]\S+)/)) return 'meta'
    if (stream.match(/^(?:true|false|null|~)(?=[\s,\]}]|$)/)) return 'bool'
    if (stream.match(/^[-+]?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?=[\s,\]}]|$)/i)) return 'number'
    if (stream.match(/^(?![-?](?:\s|$))(?:[^\s#:,[\]{}]|:(?=\S))+/)) return 'string'
    stream.next()
    return null
  },
})
