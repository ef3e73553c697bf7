// What the console's own routes answer, as types: the server makes them, the console reads them.
import type { Problem } from '../../tool/problem.ts'
import type { Tool } from '../../tool/tool.ts'

/** What is expected to stand round a run of the tool here; each run carries its own honest label. */
export type ExpectedFence = 'enforced' | 'partial' | 'advisory' | 'in-process' | 'off'

export interface CatalogRow
  extends Pick<
    Tool,
    'id' | 'title' | 'description' | 'version' | 'format' | 'kind' | 'tier' | 'state' | 'reason' | 'tags'
  > {
  readonly requires: readonly string[] | null
  readonly trust: Tool['trust']['status']
  readonly fence: ExpectedFence
  /** Shown by a plain list: callable, visible, able to run. */
  readonly listed: boolean
  /** Has a settings form. */
  readonly configurable?: true
  readonly file: string | null
  readonly line?: number
  readonly problems?: readonly Problem[]
}

export interface CatalogRows {
  readonly version: number
  readonly rows: readonly CatalogRow[]
  /** Problems of files and settings that belong to no tool. */
  readonly problems: readonly Problem[]
}

export interface OnionLayer {
  readonly name: string
  readonly kind: 'place' | 'guard' | 'middleware' | 'hook'
  /** The tool that runs there, for middleware. */
  readonly tool?: string
  /** Whose metadata put it there. */
  readonly declaredBy?: string
}

export interface SourceFile {
  readonly path: string
  /** Null when it is not text or cannot be read; `note` says which. */
  readonly text: string | null
  readonly note?: string
}
