// The shape of a profile: what one call may touch.
import { t } from '../tool/shape.ts'

const hosts = t.list(t.text())

export const networkRuleShape = t.either([
  t.object({ mode: t.only('none') }),
  t.object(
    { mode: t.only('public'), hosts },
    { description: 'Public addresses, and whatever `hosts` lists.' },
  ),
  t.object({ mode: t.only('hosts'), hosts }),
])

export const profileShape = t.object({
  network: networkRuleShape,
  read: t.list(t.text(), {
    description:
      'Absolute paths that can be read (folders with all below), besides the interpreter and its libraries.',
  }),
  write: t.list(t.text(), { description: 'Absolute paths that can be written, and therefore read.' }),
  hidden: t.list(t.text(), {
    description: 'Absolute folders that are hidden even where a parent is readable.',
  }),
  readOnly: t.list(t.text(), {
    description:
      'Absolute paths that stay read-only where a parent is writable; a path of `write` inside one opens itself again.',
  }),
  subprocess: t.boolean({
    description: 'False: programs other than the interpreter are not to be started.',
  }),
  calls: t.list(t.text(), {
    description: 'Capabilities `rye.execute…`: which tools it may call over the channel of the host.',
  }),
  memoryMb: t.number(),
  cpuPercent: t.orNull(t.number(), {
    description: 'Share of one processor; null when nobody asked for a limit.',
  }),
  processes: t.number(),
  outputBytes: t.number(),
})

export const layerStatusShape = t.object({
  name: t.text(),
  available: t.boolean(),
  detail: t.text(),
  fix: t.optional(t.text({ description: 'The one command that makes it available.' })),
})
