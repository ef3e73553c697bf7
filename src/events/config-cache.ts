// The settings in force for each tool, looked up again only after settings were written. The feed tells: every
// write has an event, whoever made it.

import { Gather } from '../store/gather.ts'
import type { CrumbStore } from '../store/store.ts'
import type { Tool } from '../tool/tool.ts'
import { configSchema, type ResolvedConfig, resolveConfig } from './configs.ts'

const maxKept = 1_000
/** So late settings that another process saves may be noticed: asking the store is dear when done for every call. */
const maxAgeMs = 5

export class ConfigCache {
  readonly #store: CrumbStore
  readonly #looks = new Gather<null, void>(async (asked) => {
    await this.#forgetOld()
    return asked.map(() => {})
  })
  readonly #kept = new Map<string, { readonly tool: Tool; readonly resolved: ResolvedConfig }>()
  #position = -1

  constructor(store: CrumbStore) {
    this.#store = store
  }

  /** As `resolveConfig`, at once where they are known. Settings that expire are never kept. */
  resolve(tool: Tool, owner: string, configId: string | null): ResolvedConfig | Promise<ResolvedConfig> {
    if (configId !== null) return resolveConfig(this.#store, tool, owner, configId)
    const isCurrent = this.#position !== -1 && this.#store.events.endsAt?.(this.#position, maxAgeMs) === true
    const key = `${owner} ${tool.id}`
    const known = isCurrent ? this.#kept.get(key) : undefined
    return known?.tool === tool ? known.resolved : this.#look(tool, owner, key, isCurrent)
  }

  async #look(tool: Tool, owner: string, key: string, isCurrent: boolean): Promise<ResolvedConfig> {
    if (!isCurrent) await this.#looks.ask(null)
    const known = this.#kept.get(key)
    if (known?.tool === tool) return known.resolved
    const before = this.#position
    const resolved = await resolveConfig(this.#store, tool, owner, null)
    if (!resolved.expires && before === this.#position) {
      if (this.#kept.size >= maxKept) this.#kept.clear()
      this.#kept.set(key, { tool, resolved })
    }
    return resolved
  }

  async #forgetOld(): Promise<void> {
    const { events } = this.#store
    if (this.#position === -1) {
      this.#position = await events.last()
      return
    }
    const page = await events.pageAfter({
      after: this.#position,
      limit: 1,
      schemas: [configSchema],
      withLeavers: true,
    })
    this.#position = page.upTo
    if (page.events.length > 0) this.#kept.clear()
  }
}
