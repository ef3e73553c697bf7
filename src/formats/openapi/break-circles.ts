// A shape that is itself in the same place (`A: { allOf: [A] }`) says nothing and never ends when a value is checked. The
// reference that closes such a circle is taken out; one that leads through a property or an item is sound and stays.

type Schema = { [keyword: string]: unknown }

const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'] as const

/** Changes the definitions in place. */
export function breakCircles(defs: Schema): void {
  const done = new Set<string>()
  const onPath = new Set<string>()

  function enter(name: string): void {
    if (done.has(name) || typeof defs[name] !== 'object') return
    onPath.add(name)
    visit(defs[name] as Schema)
    onPath.delete(name)
    done.add(name)
  }

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    const schema = node as Schema
    const ref = schema['$ref']
    if (typeof ref === 'string') {
      const name = ref.slice('#/$defs/'.length)
      if (onPath.has(name)) delete schema['$ref']
      else enter(name)
    }
    for (const keyword of inPlace) for (const part of [schema[keyword]].flat()) visit(part)
  }

  for (const name of Object.keys(defs)) enter(name)
}
