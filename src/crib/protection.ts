// The protected set of a crib, made anew when its catalog or settings changed.
import type { Catalog } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { Spaces } from '../config/spaces.ts'
import type { Format } from '../formats/format.ts'
import { ToolError } from '../tool/tool-error.ts'
import { ProtectedSet } from '../trust/protected-set.ts'

export interface ProtectionSources {
  readonly catalog: Catalog
  readonly spaces: Spaces
  config(): Config
  /** Places that only the folder's own grants name, and nobody accepted. */
  closed(): readonly string[]
  /** Loaded by the first who needs them: a crib known from the last time lists without. */
  formats(): Promise<readonly Format[]>
}

export class Protection {
  readonly #sources: ProtectionSources
  #formats: readonly Format[] | undefined
  #known: { readonly version: number; readonly config: Config; readonly set: ProtectedSet } | undefined

  constructor(sources: ProtectionSources) {
    this.#sources = sources
  }

  /** To be awaited before `set` is asked. */
  async load(): Promise<readonly Format[]> {
    this.#formats ??= await this.#sources.formats()
    return this.#formats
  }

  get set(): ProtectedSet {
    const { catalog, spaces } = this.#sources
    const config = this.#sources.config()
    if (this.#known?.version !== catalog.version || this.#known.config !== config) {
      if (!this.#formats) throw new ToolError('INTERNAL', 'The protected set was asked for too early.')
      const set = new ProtectedSet({
        config,
        spaces,
        tools: catalog.tools,
        formats: this.#formats,
        closed: this.#sources.closed(),
      })
      this.#known = { version: catalog.version, config, set }
    }
    return this.#known.set
  }
}
