// Circles in a "waits for" graph. Bootstrap starts no member of one.
import { byCodeUnits } from '../../tool/json.ts'

/** The members of every circle (a tool that waits for itself included), each list and the lists in order. */
export function waitCycles(waits: ReadonlyMap<string, readonly string[]>): string[][] {
  const reach = new Map([...waits.keys()].map((name) => [name, reachable(name, waits)]))
  const cycles: string[][] = []
  const placed = new Set<string>()
  for (const name of [...waits.keys()].sort(byCodeUnits)) {
    if (placed.has(name) || !reach.get(name)!.has(name)) continue
    const members = [...reach.get(name)!].filter((other) => reach.get(other)?.has(name)).sort(byCodeUnits)
    for (const member of members) placed.add(member)
    cycles.push(members)
  }
  return cycles
}

/** Every name that can be reached from `start` in one step or more. */
function reachable(start: string, waits: ReadonlyMap<string, readonly string[]>): Set<string> {
  const seen = new Set<string>()
  const open = [...(waits.get(start) ?? [])]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    open.push(...(waits.get(name) ?? []))
  }
  return seen
}
