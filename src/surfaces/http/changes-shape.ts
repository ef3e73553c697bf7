// What a run did to the files, as the API tells it.
import { effectsShape } from '../../tool/outcome-shape.ts'
import { named, t } from '../../tool/shape.ts'

export const changesShape = named(
  'RunChanges',
  t.object({
    ...effectsShape.properties,
    run: t.text(),
    tool: t.text(),
    at: t.text({ description: 'RFC 3339.' }),
    changes: t.list(t.any(), { description: 'Every change, with size and SHA-256 before and after.' }),
    diff: t.text({ description: 'As `git diff` writes it.' }),
    undoneBy: t.optional(t.text()),
    undoes: t.optional(t.list(t.text())),
    recovered: t.optional(t.text()),
  }),
)

export const changeListShape = named(
  'ChangeSets',
  t.object({
    changes: t.list(
      t.object({
        run: t.text(),
        tool: t.text(),
        at: t.text({ description: 'RFC 3339.' }),
        state: t.oneOf(['committed', 'held', 'discarded', 'direct']),
        paths: t.list(t.text(), { description: 'The first 5.' }),
        files: t.integer({ description: 'How many there are.' }),
        undoneBy: t.optional(t.text()),
      }),
    ),
  }),
)
