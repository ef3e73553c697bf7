// The rows of a value as a tree: what is open gives its children, and nothing else is walked.

export interface TreeRow {
  readonly path: string
  readonly key: string
  readonly depth: number
  readonly value: unknown
  readonly size: number
  readonly isOpen: boolean
}

/** `$.orders[3].name`, as JSONPath writes it. */
function childPath(parent: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${parent}[${key}]`
  return /^[A-Za-z_]\w*$/.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Array.isArray(value) ? value.length : Object.keys(value).length
}

export function treeRows(root: unknown, open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const add = (path: string, key: string, depth: number, value: unknown): void => {
    const size = sizeOf(value)
    const isOpen = size > 0 && open.has(path)
    rows.push({ path, key, depth, value, size, isOpen })
    if (isOpen) eachChild(path, value as object, (inner, name, child) => add(inner, name, depth + 1, child))
  }
  add('$', '', 0, root)
  return rows
}

function eachChild(
  path: string,
  value: object,
  see: (path: string, key: string, child: unknown) => void,
): void {
  if (Array.isArray(value))
    for (const [index, child] of value.entries())
      see(childPath(path, String(index), true), String(index), child)
  else for (const [key, child] of Object.entries(value)) see(childPath(path, key, false), key, child)
}

const mostHits = 500

/** Paths whose key or plain value has the word in it, and how many more there would be. */
export function findInTree(root: unknown, word: string): readonly string[] {
  const wanted = word.toLowerCase()
  const hits: string[] = []
  const look = (path: string, key: string, value: unknown): void => {
    if (hits.length >= mostHits) return
    const isPlain = typeof value !== 'object' || value === null
    if (
      key.toLowerCase().includes(wanted) ||
      (isPlain && String(value).slice(0, 100_000).toLowerCase().includes(wanted))
    )
      hits.push(path)
    if (!isPlain) eachChild(path, value, look)
  }
  look('$', '', root)
  return hits
}

/** Every path above the given one. */
export function pathsAbove(root: unknown, target: string): string[] {
  const above: string[] = []
  let path = '$'
  let value = root
  while (path !== target && typeof value === 'object' && value !== null) {
    above.push(path)
    let next: { path: string; value: unknown } | null = null
    eachChild(path, value, (inner, _key, child) => {
      const rest = target.slice(inner.length)
      if (target.startsWith(inner) && (rest === '' || rest[0] === '.' || rest[0] === '['))
        next = { path: inner, value: child }
    })
    if (!next) break
    ;({ path, value } = next as { path: string; value: unknown })
  }
  return above
}
