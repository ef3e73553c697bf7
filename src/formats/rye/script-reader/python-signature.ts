// The parameters of a Python function as they are written.
import type { PythonNode } from '../python-node.ts'
import type { PythonSource } from './python-source.ts'

export interface SignaturePart {
  readonly name: string
  /** `*args`, `**rest`. */
  readonly stars: '' | '*' | '**'
  readonly annotation: PythonNode | undefined
  /** The annotation as it is written; empty: there is none. */
  readonly written: string
  /** What it is when it is not given. */
  readonly value: PythonNode | undefined
}

export function signatureOf(source: PythonSource, definition: PythonNode): SignaturePart[] {
  const parts = definition.children.find((part) => part.name === 'ParamList')?.children ?? []
  const found: SignaturePart[] = []
  for (const [i, part] of parts.entries()) {
    if (part.name !== 'VariableName' || parts[i - 1]?.name === 'AssignOp') continue
    const annotation = parts[i + 1]?.name === 'TypeDef' ? parts[i + 1] : undefined
    const at = i + (annotation ? 2 : 1)
    const before = parts[i - 1]?.name
    found.push({
      name: source.sourceOf(part),
      stars: before === '*' || before === '**' ? before : '',
      annotation,
      written: annotation ? source.sourceOf(annotation).slice(1).trim() : '',
      value: parts[at]?.name === 'AssignOp' ? parts[at + 1] : undefined,
    })
  }
  return found
}
