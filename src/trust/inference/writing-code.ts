// Does the code of a tool change files, as reading it tells? Code that takes in nothing by which it could is not read
// for that: most skills are answered for by their imports.
import { inspectCode } from '../../formats/rye/code-file.ts'
import { nodeModules } from '../../formats/standard-modules.ts'
import { planOf } from '../../tool/plans/runtime-plans.ts'
import type { Tool } from '../../tool/tool.ts'
import { filesOf } from '../tool-files.ts'
import type { Inference } from './inference.ts'

const askEveryMs = 1_000

/** A program that is started may write whatever it likes. */
const writing = new Set(['fs.write', 'shell.execute', 'host.persist'])
/** Modules of Node by which files are changed or programs started. */
const reaching = new Set(['child_process', 'cluster', 'fs', 'fs/promises', 'module', 'sqlite', 'vm', 'wasi'])

export class WritingCode {
  readonly #project: string
  readonly #load: () => Promise<Pick<Inference, 'of'>>
  readonly #known = new WeakMap<Tool, { readonly writes: boolean; readonly at: number }>()
  #inference: Pick<Inference, 'of'> | undefined

  constructor(project: string, load: () => Promise<Pick<Inference, 'of'>>) {
    this.#project = project
    this.#load = load
  }

  /** What could and was not read yet does. */
  writes(tool: Tool): boolean {
    const known = this.#known.get(tool)
    const at = performance.now()
    if (known && at - known.at < askEveryMs) return known.writes
    if (!couldWrite(tool, this.#project)) return this.#keep(tool, false, at)
    if (!this.#inference) return true
    const found = this.#inference.of(tool)
    return this.#keep(
      tool,
      found.some(({ capability }) => writing.has(capability)),
      at,
    )
  }

  #keep(tool: Tool, writes: boolean, at: number): boolean {
    this.#known.set(tool, { writes, at })
    return writes
  }

  /** Makes ready to read the code where its imports do not answer; undefined: nothing is to be waited for. */
  ready(tool: Tool): Promise<void> | undefined {
    if (this.#inference || !this.writes(tool)) return undefined
    return this.#load().then((inference) => {
      this.#inference = inference
    })
  }
}

function couldWrite(tool: Tool, project: string): boolean {
  // Inline code has no list of imports.
  const code = planOf(tool, 'skill')?.code
  if (code !== undefined) return /\b(?:import|require|process)\b/.test(code)
  return filesOf(tool, project).some((file) => inspectCode(file)?.imports.some(isReaching) ?? false)
}

/** A package may do anything. */
function isReaching(specifier: string): boolean {
  const name = specifier.replace(/^node:/, '')
  return !specifier.startsWith('.') && (reaching.has(name) || !nodeModules.has(name.split('/')[0]!))
}
