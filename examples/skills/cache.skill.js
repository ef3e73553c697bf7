// A middleware: gives the same answer to the same question for a while. `cache: { seconds: 60 }` in the metadata of
// a skill whose result depends on its arguments alone.
import { ctxTarget } from 'toolcrib/skill'

export const frontmatter = {
  name: 'cache',
  description: 'Keeps results by tool and arguments for some seconds',
  metadata: {
    role: 'middleware',
    // Behind the checks of parameters, so that only valid calls are answered.
    $self: { default: { seconds: 60, entries: 1000 }, order: { after: ['params'] } },
  },
}

export default async function cache(ctx, { seconds, entries }) {
  const target = ctxTarget(ctx)
  ctx.globals.cache.results ??= new Map()
  const kept = ctx.globals.cache.results
  const key = JSON.stringify([target.run.origin.uri, target.args])
  const known = kept.get(key)
  if (known && known.until > Date.now()) return known.result
  const result = await target.manager.next()
  if (result === undefined) return
  kept.delete(key)
  kept.set(key, { result, until: Date.now() + seconds * 1000 })
  if (kept.size > entries) kept.delete(kept.keys().next().value)
}
