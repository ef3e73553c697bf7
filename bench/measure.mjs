// Measures one scenario or one curve of growth, in a process of its own: what ran before another one in the same
// process made it slower. Started by run.mjs, which hears the result as a message; `{ skip }` where it cannot run.
import { measureGrowth } from './growth.mjs'
import { interleave, measured } from './harness.mjs'
import { hottest, profiled } from './profile.mjs'

const here = new URL('.', import.meta.url)
const [kind, name, ...flags] = process.argv.slice(2)
const isShort = flags.includes('--short')
const file = new URL(`${kind === 'turns' ? 'scenarios' : kind}/${name}.mjs`, here).href

if (kind === 'turns') await inTurns()
else {
  const result = kind === 'growth' ? await growth() : await scenario()
  // A peer's server may hold the event loop open; everything of ours is closed by now.
  process.send(result, () => process.exit())
}

/** Sets the scenario up and measures one side whenever it is asked to (against.mjs), until it is told to end. */
async function inTurns() {
  const { scenario } = await import(file)
  const { about, unit } = scenario
  const { rounds = 7, warmUp = 1 } = { ...scenario.run, ...(isShort ? scenario.short : {}) }
  const { skip, sides = {}, teardown } = await scenario.setup()
  process.on('message', async ({ side }) => {
    if (side === null) {
      await teardown?.()
      process.exit()
    }
    try {
      process.send({ value: await measured(sides[side], unit) })
    } catch (error) {
      process.send({ error: error.message })
    }
  })
  process.send({ skip, about, unit, rounds, warmUp, sides: Object.keys(sides) })
}

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
