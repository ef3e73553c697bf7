// A middleware: says which calls take long. `timing: { slowMs: 500 }` in the metadata of a skill, or of the main
// skill for all tools below it, puts it around them.
import { ctxTarget } from 'toolcrib/skill'

export const frontmatter = {
  name: 'timing',
  description: 'Notes calls that take longer than slowMs',
  metadata: {
    role: 'middleware',
    $self: { default: { slowMs: 1000 } },
  },
}

export default async function timing(ctx, { slowMs }) {
  const target = ctxTarget(ctx)
  const started = performance.now()
  try {
    await target.manager.next()
  } finally {
    const ms = Math.round(performance.now() - started)
    if (ms > slowMs) target.log('info', `${target.run.tool.name} took ${ms} ms, more than ${slowMs}`)
  }
}
