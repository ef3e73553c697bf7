// One thing a fenced process finds around it, in nobody's language: each engine carries the steps out in its own.
import type { AreaMount } from './areas.ts'

export type ViewStep =
  | AreaMount
  /** An empty folder in memory. */
  | { readonly kind: 'memory'; readonly target: string; readonly mode: string; readonly bytes: number }
  | { readonly kind: 'link'; readonly to: string; readonly target: string }
  | { readonly kind: 'folder'; readonly target: string }
  /** A private /proc, read-only and without the engine's own process. */
  | { readonly kind: 'proc' }
  /** A /dev with the harmless devices; sealed by a later step. */
  | { readonly kind: 'devices' }
  | LayerStep

/**
 * From here on, what is bound from `lower` has the writes of one call on top: `lower` stays as it is, what is written
 * lands in `upper` (E1).
 */
export interface LayerStep {
  readonly kind: 'layer'
  readonly lower: string
  readonly upper: string
  /** The kernel's own, beside `upper`; empty, and good for one mount. */
  readonly work: string
  /** An existing file in which the engine notes what only it can read of `upper`. */
  readonly notes: string
  /** The `upper` of another layer that is seen between the two (E13). */
  readonly below?: string | undefined
}
