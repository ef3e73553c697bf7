// C3 linearisation: one order of all ancestors in which a tool comes before its parents and parents keep the
// order their children name them in.

export interface Lineage<Item> {
  parentsOf(item: Item): readonly Item[]
  /** Makes the error to throw; gets what is wrong and the items involved. */
  fault(what: string, items: readonly Item[]): Error
}

/** The item first, then its ancestors, nearest first. */
export function linearize<Item>(item: Item, lineage: Lineage<Item>, path: readonly Item[] = []): Item[] {
  if (path.includes(item))
    throw lineage.fault('inherit from each other in a circle', [...path.slice(path.indexOf(item)), item])
  const parents = lineage.parentsOf(item)
  if (parents.length === 0) return [item]
  const way = [...path, item]
  const lists = [...parents.map((parent) => linearize(parent, lineage, way)), [...parents]]
  const merged: Item[] = [item]
  for (;;) {
    const open = lists.filter((list) => list.length > 0)
    if (open.length === 0) return merged
    const next = open.map((list) => list[0]!).find((head) => !open.some((list) => list.indexOf(head) > 0))
    if (next === undefined)
      throw lineage.fault('cannot be put in one order', [item, ...new Set(open.map((list) => list[0]!))])
    merged.push(next)
    for (const list of lists) if (list[0] === next) list.shift()
  }
}
