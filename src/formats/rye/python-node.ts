// A node of a Python syntax tree as plain data, whichever parser made it.

export interface PythonNode {
  /** As the Lezer grammar for Python names it. */
  readonly name: string
  readonly from: number
  readonly to: number
  readonly children: readonly PythonNode[]
}

const none: readonly PythonNode[] = []

export function pythonNode(
  name: string,
  from: number,
  to: number,
  children: readonly PythonNode[] = none,
): PythonNode {
  return { name, from, to, children }
}

/** A node that ends where its last part ends. */
export function nodeOf(name: string, from: number, parts: readonly PythonNode[]): PythonNode {
  return pythonNode(name, from, parts.at(-1)!.to, parts)
}
