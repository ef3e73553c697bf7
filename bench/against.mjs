// `npm run bench -- --against <folder of another build> [<name>…]`: measures this build and another one in turn, each in a
// process of its own that stays for the whole scenario, round by round (A B, B A, A B …). Sides that no build takes part
// in, such as a bare round trip, are measured in both processes too: their ratio says how far the machine can be believed.
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, median } from './harness.mjs'

/** What is felt most: a build is compared by these where no scenario is named. */
export const compared = [
  'in-process-call',
  'warm-python',
  'warm-node',
  'deno-call',
  'mcp-stdio',
  'mcp-http',
  'catalog-load',
  'crumb-store',
  'start-up',
]
const measureFile = fileURLToPath(new URL('measure.mjs', import.meta.url))

/** The folder of a build that can be measured; throws where it is none. */
export function buildFolder(given) {
  const folder = resolve(given)
  if (!existsSync(join(folder, 'dist/index.js')))
    throw new Error(`There is no build in ${folder}: run \`npm ci && npm run build\` there first.`)
  return folder
}

/** By side: the medians of both builds and the median of the ratios of their rounds; `{ skip }` where it cannot run. */
export async function compareBuilds(name, folder, { isShort = false } = {}) {
  const builds = [await openBuild(name, undefined, isShort), await openBuild(name, folder, isShort)]
  try {
    const skip = builds.find((build) => build.opened.skip)
    if (skip) return { skip: skip.opened.skip }
    const { about, unit, sides, rounds, warmUp } = builds[0].opened
    const shared = sides.filter((side) => builds[1].opened.sides.includes(side))
    const values = Object.fromEntries(shared.map((side) => [side, { ours: [], theirs: [] }]))
    for (let round = -warmUp; round < rounds; round++)
      for (const side of shared) {
        const order = round % 2 === 0 ? [0, 1] : [1, 0]
        const taken = []
        for (const index of order) taken[index] = await builds[index].measure(side)
        if (round < 0) continue
        values[side].ours.push(taken[0])
        values[side].theirs.push(taken[1])
      }
    return {
      about,
      unit,
      rounds,
      sides: Object.fromEntries(shared.map((side) => [side, sumUp(values[side])])),
    }
  } finally {
    await Promise.all(builds.map((build) => build.close()))
  }
}

function sumUp({ ours, theirs }) {
  const ratios = ours.map((value, index) => value / theirs[index])
  return { ours: median(ours), theirs: median(theirs), ratio: median(ratios) }
}

/** One line per side: this build, the other one, the ratio. */
export function comparisonTable(name, { about, unit, sides }) {
  const rows = Object.entries(sides).map(([side, { ours, theirs, ratio }]) => [
    `  ${side}`,
    `${format(ours)} ${unit}`,
    `${format(theirs)} ${unit}`,
    `${ratio.toFixed(2)}×`,
  ])
  const widths = [0, 1, 2, 3].map((index) => Math.max(...rows.map((row) => row[index].length)))
  const line = (row) =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]))).join('  ')
  return [`${name}: ${about}; this build, the other one, ratio`, ...rows.map(line)].join('\n')
}

/** A process that has set the scenario up with one build and measures a side when it is asked to. */
async function openBuild(name, folder, isShort) {
  const env = folder === undefined ? process.env : { ...process.env, TOOLCRIB_BENCH_BUILD: folder }
  const child = fork(measureFile, ['turns', name, ...(isShort ? ['--short'] : [])], { env })
  const answer = () =>
    new Promise((resolve, reject) => {
      const onExit = (code) => reject(new Error(`${name} ended with exit code ${code} and told no result.`))
      child.once('exit', onExit)
      child.once('message', (message) => {
        child.off('exit', onExit)
        if (message.error) reject(new Error(`${name}: ${message.error}`))
        else resolve(message)
      })
    })
  const opened = await answer()
  return {
    opened,
    async measure(side) {
      child.send({ side })
      return (await answer()).value
    },
    async close() {
      if (child.exitCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.send({ side: null })
      await gone
    },
  }
}
