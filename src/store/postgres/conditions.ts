// The WHERE of a query over living crumbs, built piece by piece with its values.
import type { Viewer } from '../store.ts'
import { plain } from './appender.ts'

export class Conditions {
  readonly values: unknown[] = []
  readonly #parts: string[] = []
  readonly #joins: string[] = []

  /** Puts a value in and gives its place. */
  value(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  add(part: (place: string) => string, value: unknown): void {
    this.#parts.push(part(this.value(value)))
  }

  tag(tag: string): void {
    const alias = `t${this.#joins.length}`
    this.#joins.push(`JOIN tags ${alias} ON ${alias}.seq = heads.seq AND ${alias}.tag = ${this.value(tag)}`)
  }

  schemas(patterns: readonly string[]): void {
    const parts = patterns.map((pattern) =>
      pattern.endsWith('.*')
        ? `starts_with(heads.schema_name, ${this.value(pattern.slice(0, -1))})`
        : `heads.schema_name = ${this.value(pattern)}`,
    )
    this.#parts.push(parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`)
  }

  viewer(viewer: Viewer): void {
    this.#parts.push(`(heads.owner = ${this.value(plain(viewer.owner))} OR heads.visibility = 'public')`)
    if (!viewer.isAdmin)
      this.#parts.push(`(heads.visibility <> 'private' OR heads.creator = ${this.value(plain(viewer.name))})`)
  }

  get joins(): string {
    return this.#joins.join(' ')
  }

  get where(): string {
    return this.#parts.join(' AND ')
  }
}
