// A CPU profile of some work, and the functions in which it spent its own time.
import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/** Runs `work` under the sampling profiler and writes the profile to `file`, for any viewer of .cpuprofile. */
export async function profiled(work, file) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  const value = await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, JSON.stringify(profile))
  return { value, profile }
}

/** The ten functions with most time of their own, idle time left out. */
export function hottest(profile) {
  const own = new Map()
  const byId = new Map(profile.nodes.map((node) => [node.id, node]))
  let total = 0
  for (const [index, id] of profile.samples.entries()) {
    const { functionName, url, lineNumber } = byId.get(id).callFrame
    if (functionName === '(idle)' || functionName === '(program)') continue
    const place = `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`
    const micros = profile.timeDeltas[index]
    own.set(place, (own.get(place) ?? 0) + micros)
    total += micros
  }
  return [...own]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 10)
    .map(([place, micros]) => `${((micros / total) * 100).toFixed(1).padStart(5)} %  ${place}`)
}
