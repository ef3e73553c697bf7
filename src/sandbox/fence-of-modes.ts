// A fence that can be asked for in another mode than that of the settings, which is made when it is first needed.
import type { SandboxMode } from '../config/config.ts'
import type { Fence } from './fence.ts'
import { type OpenFenceOptions, openFence } from './open-fence.ts'

export function openFenceOfModes(options: OpenFenceOptions): Fence {
  const fences = new Map<SandboxMode, Fence>()
  const inMode = (mode: SandboxMode): Fence => {
    const fence = fences.get(mode) ?? openFence({ ...options, mode })
    fences.set(mode, fence)
    return fence
  }
  const usual = inMode(options.mode)
  return {
    wrap: (spec, profile, given) => inMode(given?.mode ?? options.mode).wrap(spec, profile, given),
    carry: usual.carry && ((changes, layers) => usual.carry!(changes, layers)),
    layers: () => usual.layers(),
    close: () => {
      for (const fence of fences.values()) fence.close()
    },
  }
}
