// What trying a server came to.
import { t } from '../../tool/shape.ts'

export const triedServerShape = t.object({
  name: t.text(),
  words: t.text({ description: 'Its command or address.' }),
  secrets: t.list(t.text(), { description: 'Secrets its entry names.' }),
  capabilities: t.list(t.text(), { description: 'What its code can touch, as far as its files tell.' }),
  tools: t.list(
    t.object({
      name: t.text({ description: "The server's own name of it." }),
      id: t.text({ description: 'What it is called in the crib.' }),
      description: t.text(),
      says: t.list(t.text(), { description: 'What the server says of it; nobody checks that.' }),
    }),
  ),
  notes: t.list(t.text()),
  problem: t.optional(t.object({ message: t.text(), hint: t.optional(t.text()) })),
})
