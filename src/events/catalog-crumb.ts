// The catalog as a crumb: `tool.catalog.v1`, for clients that know only breadcrumbs.

import type { Clock } from '../store/clock.ts'
import type { UniqueKey } from '../store/store.ts'
import { hasCode } from '../store/store-error.ts'
import { asJson, type Json, jsonDigest } from '../tool/json.ts'
import { cribPrincipal } from '../tool/principal.ts'
import type { Tool } from '../tool/tool.ts'
import type { Crumbs } from './crumbs.ts'

const settleMs = 500
const togetherMs = 60_000

/** The context of the catalog crumb: valid tools of all formats. */
function catalogContext(tools: readonly Tool[], workspace: string, nowMs: number): { [key: string]: Json } {
  const valid = tools.filter(
    (tool) => tool.kind === 'callable' && (tool.state === 'available' || tool.state === 'unavailable'),
  )
  return {
    workspace,
    tools: valid.map((tool) => ({
      name: tool.id,
      description: tool.description,
      category: tool.id.includes('/') ? tool.id.split('/')[0]! : tool.format,
      version: tool.version,
      inputSchema: tool.params ?? {},
      outputSchema: tool.returns ?? {},
      examples: tool.examples.map(asJson),
      status: tool.state === 'available' ? 'active' : 'unavailable',
    })),
    totalTools: valid.length,
    activeTools: valid.filter((tool) => tool.state === 'available').length,
    lastUpdated: new Date(nowMs).toISOString(),
  }
}

/** Keeps the catalog crumb up to date: changes that come together make one write. */
export class CatalogCrumb {
  readonly #crumbs: Crumbs
  readonly #clock: Clock
  readonly #workspace: string
  readonly #tools: () => readonly Tool[]
  #cancel: (() => void) | null = null
  #digest = ''
  #work: Promise<void> = Promise.resolve()

  constructor(crumbs: Crumbs, clock: Clock, workspace: string, tools: () => readonly Tool[]) {
    this.#crumbs = crumbs
    this.#clock = clock
    this.#workspace = workspace
    this.#tools = tools
  }

  /** The catalog changed; written half a second later at the latest. */
  changed(onError: (error: unknown) => void): void {
    this.#cancel ??= this.#clock.after(settleMs, () => {
      this.#cancel = null
      void this.publish().catch(onError)
    })
  }

  publish(): Promise<void> {
    const work = this.#work.then(() => this.#publish())
    this.#work = work.catch(() => {})
    return work
  }

  async close(): Promise<void> {
    this.#cancel?.()
    await this.#work
  }

  async #publish(): Promise<void> {
    const context = catalogContext(this.#tools(), this.#workspace, this.#clock.now())
    const digest = jsonDigest({ ...context, lastUpdated: null })
    if (digest === this.#digest) return
    const tags = [this.#workspace, 'tool:catalog']
    // Straight into the store: with many tools the catalog is larger than what is taken from a client.
    const store = this.#crumbs.store.crumbs
    const { crumbs } = await store.list({
      viewer: null,
      tags,
      schema: 'tool.catalog.v1',
      limit: 1,
    })
    const current = crumbs[0]
    const draft = {
      title: `${this.#workspace} Tool Catalog`,
      schema_name: 'tool.catalog.v1',
      tags,
      visibility: 'team',
      sensitivity: 'low',
      context,
    } as const
    if (!current)
      // Nodes that start together make one catalog, not one each.
      await store.create(draft, cribPrincipal, { unique: this.#startKey() })
    else if (jsonDigest({ ...(current.context as object), lastUpdated: null }) !== digest)
      try {
        await store.update(current.id, current.version, draft, cribPrincipal)
      } catch (error) {
        if (!hasCode(error, 'VERSION_MISMATCH')) throw error
        // Another node was faster; what it wrote may be older.
        return this.#publish()
      }
    this.#digest = digest
  }

  #startKey(): UniqueKey {
    const now = this.#clock.now()
    const key = `${this.#workspace} ${Math.floor(now / togetherMs)}`
    return { scope: 'catalog', key, expiresMs: now + togetherMs }
  }
}
