// Measures one scenario or one curve of growth, in a process of its own: what ran before another one in the same
// process made it slower. Started by run.mjs, which hears the result as a message; `{ skip }` where it cannot run.
import { measureGrowth } from './growth.mjs'
import { interleave } from './harness.mjs'
import { hottest, profiled } from './profile.mjs'

const here = new URL('.', import.meta.url)
const [kind, name, ...flags] = process.argv.slice(2)
const isShort = flags.includes('--short')
const file = new URL(`${kind}/${name}.mjs`, here).href

const result = kind === 'growth' ? await growth() : await scenario()
// A peer's server may hold the event loop open; everything of ours is closed by now.
process.send(result, () => process.exit())

async function growth() {
  const module = await import(file)
  return measureGrowth(module.growth)
}

async function scenario() {
  const { scenario } = await import(file)
  const { about, unit } = scenario
  if (isShort && !scenario.short) return {}
  const { skip, sides, teardown, reference } = await scenario.setup()
  if (skip) return { skip }
  try {
    const measure = () => interleave(sides, { unit, ...scenario.run, ...(isShort ? scenario.short : {}) })
    if (!flags.includes('--profile')) return { about, unit, reference, results: await measure() }
    const at = new URL(`results/${name}.cpuprofile`, here)
    const { value: results, profile } = await profiled(measure, at)
    return { about, unit, reference, results, profile: { file: at.pathname, hottest: hottest(profile) } }
  } finally {
    await teardown?.()
  }
}
