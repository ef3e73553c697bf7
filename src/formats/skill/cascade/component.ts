// Strongly connected components: who reaches a node that reaches back.

/** All nodes in a circle with `start`, itself included. */
export function componentOf<Node>(start: Node, next: (node: Node) => readonly Node[]): Set<Node> {
  const reached = new Map<Node, readonly Node[]>()
  const open = [start]
  while (open.length > 0) {
    const node = open.pop()!
    if (reached.has(node)) continue
    const targets = next(node)
    reached.set(node, targets)
    open.push(...targets)
  }
  const sources = new Map<Node, Node[]>()
  for (const [node, targets] of reached)
    for (const target of targets) sources.set(target, [...(sources.get(target) ?? []), node])
  const circle = new Set<Node>()
  const back = [start]
  while (back.length > 0) {
    const node = back.pop()!
    if (circle.has(node)) continue
    circle.add(node)
    back.push(...(sources.get(node) ?? []))
  }
  return circle
}
