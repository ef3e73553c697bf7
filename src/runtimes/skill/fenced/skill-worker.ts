// A warm process for code skills, with what it and its host know of each other's values.

import { Worker } from '../../../workers/worker.ts'
import { type Globals, shownConfig } from '../globals.ts'
import { Carrier } from './carrier.ts'
import { ToldContexts } from './told-contexts.ts'

/** Values after which a worker that is never at rest is replaced. */
const manyValues = 50_000

/** The outermost call, whose end is the end of everything it caused. */
export interface Progressing {
  readonly isOver: boolean
  readonly parent: Progressing | null
}

export class SkillWorker extends Worker {
  readonly carrier = new Carrier()
  readonly contexts = new ToldContexts(this.carrier)
  readonly #roots = new Set<Progressing>()
  #config: unknown
  readonly #tools = new Set<unknown>()

  /** A call of `root` begins. Where no other is in progress, both sides forget what they know of each other's values. */
  begin(root: Progressing): string {
    for (const other of this.#roots) if (other.isOver) this.#roots.delete(other)
    const isFirst = this.#roots.size === 0
    this.#roots.add(root)
    if (!isFirst) {
      if (this.carrier.size > manyValues || this.contexts.isFull) this.retire()
      return ''
    }
    this.carrier.forget()
    this.contexts.forget()
    return '"forget":true,'
  }

  /** What a message tells the process as a whole: how the crib is set up, which markdown skills are loaded. */
  news(globals: Globals): string {
    let news = ''
    if (this.#config !== globals.config) {
      this.#config = globals.config
      news += `"config":${JSON.stringify(JSON.stringify(shownConfig(globals.config)))},`
    }
    const tools = Object.entries(globals.tools).filter(
      ([, tool]) => isMarkdown(tool) && !this.#tools.has(tool),
    )
    if (tools.length > 0) {
      for (const [, tool] of tools) this.#tools.add(tool)
      news += `"tools":${JSON.stringify(Object.fromEntries(tools))},`
    }
    return news
  }
}

function isMarkdown(tool: unknown): boolean {
  return typeof tool === 'object' && tool !== null && 'content' in tool
}
