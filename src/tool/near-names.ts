// "Did you mean": the names closest to one that was not found.

function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let best = i
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      const value = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost)
      current.push(value)
      if (value < best) best = value
    }
    if (best > limit) return limit + 1
    previous = current
  }
  return previous[b.length]!
}

/** Up to `count` of `names` that are close to `wanted`: few edits away, or sharing its last segment. */
export function nearNames(wanted: string, names: Iterable<string>, count = 3): string[] {
  const needle = wanted.toLowerCase()
  const tail = needle.split(/[/:.]/).at(-1) ?? needle
  const limit = Math.max(2, Math.floor(needle.length / 3))
  const scored: { name: string; score: number }[] = []
  for (const name of names) {
    const hay = name.toLowerCase()
    const edits = Math.min(
      distance(needle, hay, limit),
      distance(needle, hay.split(/[/:.]/).at(-1) ?? hay, limit),
    )
    // A name of which no letter would stay is not near.
    if (edits <= limit && edits < Math.max(needle.length, hay.length)) scored.push({ name, score: edits })
    else if (tail.length >= 3 && hay.includes(tail)) scored.push({ name, score: limit + 1 })
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
  return scored.slice(0, count).map((entry) => entry.name)
}
