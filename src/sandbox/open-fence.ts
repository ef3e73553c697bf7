// The fence that holds nothing: it starts processes as they are and says so. It serves the mode `off` and
// machines where no layer is available.
import type { Fence } from './fence.ts'

/** Passes every process through and labels each dimension advisory. */
export function openFence(): Fence {
  return {
    wrap: (spec) => ({
      spec,
      enforcement: {
        layers: [],
        dimensions: {
          network: 'advisory',
          read: 'advisory',
          write: 'advisory',
          subprocess: 'advisory',
          memory: 'advisory',
          processes: 'advisory',
        },
      },
    }),
    layers: () => [],
  }
}
