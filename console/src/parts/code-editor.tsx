// A text editor for code, loaded when somebody edits. It lives in a shadow root: the policy of the page lets no script
// add a style sheet to the page itself.
import { history, historyKeymap, indentWithTab, standardKeymap } from '@codemirror/commands'
import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript'
import { jsonLanguage } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'preact/hooks'
import { pythonLanguage, yamlTokens } from './plain-languages.ts'

export interface LineFault {
  readonly line: number
  readonly message: string
}

interface CodeEditorProps {
  readonly path: string
  readonly text: string
  readonly label: string
  readonly faults: readonly LineFault[]
  onChange(text: string): void
  onSave(): void
}

export function CodeEditor({ path, text, label, faults, onChange, onSave }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  // What the keys do is what the newest drawing says.
  const latest = useRef({ onChange, onSave })
  latest.current = { onChange, onSave }
  useEffect(() => {
    const root = place.current!.shadowRoot ?? place.current!.attachShadow({ mode: 'open' })
    const save = () => {
      latest.current.onSave()
      return true
    }
    const extensions = [
      lineNumbers(),
      history(),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
      syntaxHighlighting(colours),
      keymap.of([
        { key: 'Mod-s', run: save, preventDefault: true },
        ...standardKeymap,
        ...historyKeymap,
        indentWithTab,
      ]),
      languageOf(path),
      faultLines,
      look,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange(update.state.doc.toString())
      }),
    ]
    const made = new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) })
    view.current = made
    made.focus()
    return () => made.destroy()
  }, [path])
  useEffect(() => {
    view.current?.dispatch({ effects: setFaults.of(faults) })
  }, [faults])
  return <div class="code-editor" ref={place} />
}

/** The bare languages: what comes with them completes code, which this editor does not. */
function languageOf(path: string): Extension {
  if (path.endsWith('.py')) return pythonLanguage
  if (path.endsWith('.json')) return jsonLanguage
  if (/\.ya?ml$/.test(path)) return yamlTokens
  if (/\.[cm]?tsx?$/.test(path)) return typescriptLanguage
  if (/\.[cm]?jsx?$/.test(path)) return javascriptLanguage
  return []
}

const setFaults = StateEffect.define<readonly LineFault[]>()

const faultLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const effect = transaction.effects.find((each) => each.is(setFaults))
    if (!effect) return marks.map(transaction.changes)
    const { doc } = transaction.state
    const found = (effect.value as readonly LineFault[]).filter(({ line }) => line >= 1 && line <= doc.lines)
    const ranges = found.map(({ line, message }) =>
      Decoration.line({ attributes: { title: message, class: 'fault' } }).range(doc.line(line).from),
    )
    return Decoration.set(ranges, true)
  },
  provide: (field) => EditorView.decorations.from(field),
})

const colours = HighlightStyle.define([
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-word)' },
  {
    tag: [tags.propertyName, tags.definition(tags.variableName), tags.function(tags.variableName)],
    color: 'var(--code-key)',
  },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)' },
])

/** Colours come from the page: custom properties reach into a shadow root. */
const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', maxHeight: '70vh' },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--hover)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.fault': { backgroundColor: 'var(--bad-soft)' },
})
