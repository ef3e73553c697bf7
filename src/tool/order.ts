// Places keys between the fixed entries of a pipeline by before/after constraints: each as early as they allow,
// ties in the order given. Deterministic; a contradiction names the members of its cycle.
import { ToolError } from './tool-error.ts'

export interface OrderedKey {
  readonly name: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Every key comes after this one. */
const floor = 'allowed-tools'
/** Keys that name no fixed entry come after this one too, unless that contradicts what they state. */
const usualPlace = 'secrets'

/** The keys behind each fixed entry, by its name; throws CASCADE_INVALID on a cycle. */
export function placeKeys<Key extends OrderedKey>(
  fixed: readonly string[],
  keys: readonly Key[],
): Map<string, Key[]> {
  const places = new Map<string, Key[]>()
  if (keys.length === 0) return places
  const graph = new Graph(fixed, keys)
  graph.throwOnCycle()
  for (const key of keys) {
    const namesFixed = [...key.before, ...key.after].some((name) => fixed.includes(name))
    if (!namesFixed && fixed.includes(usualPlace) && !graph.reaches(key.name, usualPlace))
      graph.add(usualPlace, key.name)
  }
  const slotOf = new Map<string, number>(fixed.map((name, index) => [name, index]))
  const waiting = [...keys]
  while (waiting.length > 0) {
    // Always the first key, in the order given, whose predecessors all stand.
    const index = waiting.findIndex((key) => graph.before(key.name).every((name) => slotOf.has(name)))
    const [key] = waiting.splice(index, 1)
    const slot = Math.max(0, ...graph.before(key!.name).map((name) => slotOf.get(name)!))
    slotOf.set(key!.name, slot)
    const place = fixed[slot]!
    const here = places.get(place)
    if (here) here.push(key!)
    else places.set(place, [key!])
  }
  return places
}

class Graph {
  readonly #before = new Map<string, Set<string>>()

  constructor(fixed: readonly string[], keys: readonly OrderedKey[]) {
    fixed.forEach((name, index) => this.#before.set(name, new Set(index > 0 ? [fixed[index - 1]!] : [])))
    for (const key of keys) this.#before.set(key.name, new Set(fixed.includes(floor) ? [floor] : []))
    for (const key of keys) {
      for (const name of key.after) this.add(name, key.name)
      for (const name of key.before) this.add(key.name, name)
    }
  }

  before(name: string): string[] {
    return [...(this.#before.get(name) ?? [])]
  }

  /** `first` comes before `second`; names that are not there are ignored. */
  add(first: string, second: string): void {
    if (this.#before.has(first)) this.#before.get(second)?.add(first)
  }

  reaches(from: string, to: string): boolean {
    const seen = new Set<string>()
    const visit = (name: string): boolean => {
      if (name === from) return true
      if (seen.has(name)) return false
      seen.add(name)
      return this.before(name).some(visit)
    }
    return visit(to)
  }

  throwOnCycle(): void {
    const done = new Set<string>()
    const path: string[] = []
    const visit = (name: string): void => {
      if (done.has(name)) return
      const start = path.indexOf(name)
      if (start !== -1) throw cycleError(path.slice(start))
      path.push(name)
      for (const earlier of this.before(name)) visit(earlier)
      path.pop()
      done.add(name)
    }
    for (const name of [...this.#before.keys()].reverse()) visit(name)
  }
}

function cycleError(found: readonly string[]): ToolError {
  const members = [...found].reverse()
  return new ToolError(
    'CASCADE_INVALID',
    `The order of ${members.join(', ')} contradicts itself: each must come before the next, and the last before the first.`,
    { hint: 'Remove one of the `$order` constraints.', details: { cycle: members } },
  )
}
