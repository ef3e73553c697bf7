// Shapes made of parts (`allOf`) of which one is closed: no value could have the properties of the others. Documents mean
// that the whole is closed, so the part is opened, as other tools for OpenAPI do.
import { type ApiDocument, isNode, type Located, type Node } from './document.ts'

/** How deep parts may lie in parts. */
const maxDepth = 8

/** The properties of a shape and of all its parts. */
export function propertiesOf(document: ApiDocument, given: Located, depth = 0): string[] {
  const at = document.resolve(given)
  if (!at || !isNode(at.value) || depth > maxDepth) return []
  const { properties } = at.value
  const parts = document.at(at, 'allOf')
  const ofParts = Array.isArray(parts.value)
    ? [...parts.value.keys()].flatMap((index) =>
        propertiesOf(document, document.at(parts, String(index)), depth + 1),
      )
    : []
  return [...(isNode(properties) ? Object.keys(properties) : []), ...ofParts]
}

/** Whether a shape refuses one of the properties that the whole it is of has. */
export function isClosedTo(names: readonly string[], node: Node): boolean {
  const own = isNode(node['properties']) ? node['properties'] : {}
  const isClosed = node['additionalProperties'] === false && node['patternProperties'] === undefined
  return isClosed && names.some((name) => !Object.hasOwn(own, name))
}
