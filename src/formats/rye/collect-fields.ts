// Gathers the fields a code file sets, whatever the language: last assignment wins, the better name of a field
// wins, and what could not be folded becomes a note with line and pointer.
import type { Json } from '../../tool/json.ts'
import { codeField, schemaFields } from './field-names.ts'
import type { Field, ReadingNote } from './reading.ts'
import { type Folded, type Loss, settleSchema, settleValue } from './unfolded.ts'

const notStaticHint =
  'Write the value out as a literal; it is read without running the file, so calls and conditions cannot count.'

export class FieldCollector {
  readonly fields = new Map<string, Field>()
  readonly unknown: { [key: string]: Json } = {}
  readonly notes: ReadingNote[] = []
  readonly #ranks = new Map<string, number>()
  readonly #lineAt: (offset: number) => number

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt
  }

  /** True when a name in code is metadata. */
  isField(name: string): boolean {
    return codeField(name) !== undefined
  }

  /** Takes a folded assignment over. */
  set(name: string, value: Folded, from: number): void {
    const known = codeField(name)
    if (!known) {
      if (isDunder(name)) this.#keepUnknown(name, value)
      return
    }
    const rank = this.#ranks.get(known.field)
    if (rank !== undefined && rank < known.rank) return
    this.#ranks.set(known.field, known.rank)
    const losses: Loss[] = []
    const settled = schemaFields.has(known.field) ? settleSchema(value, losses) : settleValue(value, losses)
    for (const loss of losses.sort((a, b) => a.from - b.from))
      this.noteNotStatic(name, loss.from, loss.pointer)
    if (settled === undefined) this.fields.delete(known.field)
    else this.fields.set(known.field, { value: settled, name, line: this.#lineAt(from) })
  }

  /** Notes that a field is set, or changed, in a way only running the file would tell. */
  noteNotStatic(
    name: string,
    from: number,
    pointer = '',
    how = 'cannot be told without running the file',
  ): void {
    this.notes.push({
      code: 'schema-not-static',
      message: `${name}${pointer} ${how}; that part is left out.`,
      hint: notStaticHint,
      line: this.#lineAt(from),
      pointer,
    })
  }

  #keepUnknown(name: string, value: Folded): void {
    const settled = settleValue(value, [])
    if (settled !== undefined) this.unknown[name] = settled
  }
}

function isDunder(name: string): boolean {
  return /^__[a-z]\w*__$/.test(name) && name !== '__proto__'
}
