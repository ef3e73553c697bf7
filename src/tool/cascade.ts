// What the levels above a tool come to: the seam between formats that know inheritance and the kernel that
// weaves chains. The kernel sees only this data.
import type { Json } from './json.ts'
import type { Tool } from './tool.ts'

/** A metadata key that runs a tool as middleware. */
export interface WovenKey {
  readonly name: string
  readonly tool: Tool
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Stands in for a null value and fills fields missing from a map. */
  readonly fallback?: Json
}

export interface WovenHook {
  readonly when: 'before' | 'after' | 'error'
  readonly ref: string
  readonly config?: Json
  /** The tool whose metadata names the hook: refs are relative to its file and called in its name. */
  readonly declaredBy: Tool
}

export interface Woven {
  /** Merged values of all plain keys, not yet interpolated. */
  readonly metadata: { readonly [key: string]: Json }
  /** The nearest tool that set each key. */
  readonly declaredBy: { readonly [key: string]: Tool }
  /** Keys that run, outer level first, then in the order of the file. */
  readonly keys: readonly WovenKey[]
  /** Outer level first. */
  readonly hooks: readonly WovenHook[]
}

export interface Cascade {
  /** Throws CASCADE_INVALID; as a chain entry only what the tool's own file sets runs around it. */
  of(tool: Tool, asChainEntry: boolean): Woven
}
