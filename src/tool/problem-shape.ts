// The shape of a Problem.
import { t } from './shape.ts'

const place = (description: string) => t.optional(t.integer({ minimum: 1, description }))

export const problemShape = t.object({
  code: t.text({ description: 'Kebab-case, for programs.' }),
  severity: t.oneOf(['error', 'warning', 'info']),
  message: t.text(),
  hint: t.text({ description: 'What to do next.' }),
  file: t.optional(t.text()),
  line: place('Counted from 1.'),
  column: place('Counted from 1.'),
  toolId: t.optional(t.text()),
  skill: t.optional(t.text({ description: 'Id of the skill it belongs to, where there is one.' })),
  pointer: t.optional(t.text({ description: 'RFC 6901 pointer into the document, where there is one.' })),
  source_line: place('Line inside a program that the document carries as text.'),
  source_column: place('Column inside a program that the document carries as text.'),
})
