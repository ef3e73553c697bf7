// Tools as the cached catalog keeps them. Tools of one runtime repeat its interpreter, anchor and chain: each of
// these stands in the file once, which makes it shorter to read and the tools of a process share one object.
import type { Json } from '../tool/json.ts'
import type { Tool } from '../tool/tool.ts'

export interface PackedTools {
  readonly shared: readonly unknown[]
  /** Lists of plan fields that hold a position in `shared`. */
  readonly shapes: readonly (readonly string[])[]
  /** A tool whose links after the first and some plan fields are positions, and which of `shapes` tells the fields. */
  readonly tools: readonly (readonly [tool: Tool, shape: number])[]
}

type Fields = { [name: string]: unknown }

export function packTools(tools: readonly Tool[]): PackedTools {
  const shared = new Table()
  const shapes = new Table()
  const packed = tools.map((tool): readonly [Tool, number] => {
    const { runtime, chain } = tool
    const plan: Fields = { ...runtime?.plan }
    const names = Object.keys(plan).filter((name) => typeof plan[name] === 'object' && plan[name] !== null)
    for (const name of names) plan[name] = shared.place(plan[name] as object)
    const small = {
      ...tool,
      ...(runtime ? { runtime: { ...runtime, plan } } : {}),
      ...(chain ? { chain: chain.map((link, index) => (index === 0 ? link : shared.place(link))) } : {}),
    }
    return [small as unknown as Tool, shapes.place(names)]
  })
  return { shared: shared.entries, shapes: shapes.entries as string[][], tools: packed }
}

/** The tools again; what was packed is used up. */
export function unpackTools({ shared, shapes, tools }: PackedTools): readonly Tool[] {
  return tools.map(([tool, shape]) => {
    const plan = tool.runtime?.plan as Fields | undefined
    if (plan) for (const name of shapes[shape]!) plan[name] = shared[plan[name] as number]
    const chain = tool.chain as unknown[] | undefined
    if (chain)
      for (let index = 1; index < chain.length; index++) chain[index] = shared[chain[index] as number]
    return tool
  })
}

/** Values by their text, each once. */
class Table {
  readonly entries: unknown[] = []
  readonly #byObject = new Map<object, number>()
  readonly #byText = new Map<string, number>()

  place(value: object): number {
    const known = this.#byObject.get(value)
    if (known !== undefined) return known
    const text = JSON.stringify(value as Json)
    const at = this.#byText.get(text) ?? this.entries.push(value) - 1
    this.#byText.set(text, at)
    this.#byObject.set(value, at)
    return at
  }
}
