// Tools as the cached catalog keeps them. Tools of one runtime repeat its interpreter, anchor and chain, and a tool
// repeats the name of its file: each of these stands in the file once, which makes it shorter to read, and the tools
// of a process share one object.
import type { RuntimeChoice } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'

export interface PackedTools {
  readonly shared: readonly unknown[]
  /** For each part of a tool, the fields of it that hold a position in `shared`. */
  readonly shapes: readonly (readonly (readonly string[])[])[]
  /** A tool whose links after the first and some fields are positions, and which of `shapes` tells the fields. */
  readonly tools: readonly (readonly [tool: Tool, shape: number])[]
}

type Fields = { [name: string]: unknown }

/** A shorter text is as short as its position. */
const longText = 16
/** Fields of the tool itself that are the same in many. */
const commonFields = new Set(['trust', 'limits', 'requires', 'returns', 'examples', 'secrets'])

export function packTools(tools: readonly Tool[]): PackedTools {
  const shared = new Table()
  const shapes = new Table()
  const packed = tools.map((tool): readonly [Tool, number] => {
    const small = copyParts(tool)
    const names = partsOf(small).map((part, index) => {
      const found = part ? Object.keys(part).filter((name) => isPlaced(part[name], name, index === 0)) : []
      for (const name of found) part![name] = shared.place(part![name])
      return found
    })
    const chain = small.chain as unknown[] | undefined
    if (chain) for (let index = 1; index < chain.length; index++) chain[index] = shared.place(chain[index])
    return [small, shapes.place(names)]
  })
  return {
    shared: shared.entries,
    shapes: shapes.entries as readonly (readonly (readonly string[])[])[],
    tools: packed,
  }
}

/** The tools again; what was packed is used up. */
export function unpackTools({ shared, shapes, tools }: PackedTools): readonly Tool[] {
  return tools.map(([tool, shape]) => {
    const parts = partsOf(tool)
    const names = shapes[shape]!
    for (let index = 0; index < names.length; index++) {
      const part = parts[index]
      if (part) for (const name of names[index]!) part[name] = shared[part[name] as number]
    }
    const chain = tool.chain as unknown[] | undefined
    if (chain)
      for (let index = 1; index < chain.length; index++) chain[index] = shared[chain[index] as number]
    return tool
  })
}

/** The objects of a tool whose fields are looked at, always in the same order. */
function partsOf(tool: Tool): readonly (Fields | undefined)[] {
  const { runtime, source, details, chain } = tool
  return [
    tool as unknown as Fields,
    runtime?.plan as Fields | undefined,
    source as unknown as Fields | undefined,
    details?.rye as Fields | undefined,
    chain?.[0] as unknown as Fields | undefined,
  ]
}

/** The tool with parts that may be written to; the order of all fields stays. */
function copyParts(tool: Tool): Tool {
  const { runtime, source, details, chain } = tool
  return {
    ...tool,
    ...(runtime ? { runtime: { ...runtime, plan: { ...runtime.plan } } as RuntimeChoice } : {}),
    ...(source ? { source: { ...source } } : {}),
    ...(details?.rye ? { details: { ...details, rye: { ...details.rye } } } : {}),
    ...(chain ? { chain: chain.map((link, index) => (index === 0 ? { ...link } : link)) } : {}),
  }
}

function isPlaced(value: unknown, name: string, isTool: boolean): boolean {
  if (isTool) return commonFields.has(name) && typeof value === 'object' && value !== null
  if (typeof value === 'string') return value.length >= longText
  // The list of a tool's own files is nobody else's.
  return typeof value === 'object' && value !== null && name !== 'files'
}

/** Values by their text, each once. */
class Table {
  readonly entries: unknown[] = []
  readonly #byValue = new Map<unknown, number>()
  readonly #byText = new Map<string, number>()

  place(value: unknown): number {
    const known = this.#byValue.get(value)
    if (known !== undefined) return known
    const text = JSON.stringify(value)
    const at = this.#byText.get(text) ?? this.entries.push(value) - 1
    this.#byText.set(text, at)
    this.#byValue.set(value, at)
    return at
  }
}
