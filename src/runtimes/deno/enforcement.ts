// The honest label of a run in Deno: what its flags and the host hold, and what the fence adds around it.
import { isWalled, strongestOf } from '../../sandbox/enforcement.ts'
import type { Enforced, Enforcement } from '../../tool/outcome.ts'
import { MemoryWatch } from '../../workers/memory-watch.ts'
import type { EffectiveRights } from './effective-rights.ts'
import type { DenoWorker } from './worker.ts'

const known = new WeakMap<object, Enforcement>()

/** The label of a worker's runs; its rights do not change while it lives, so neither does the label. */
export function enforcementOf(
  worker: Pick<DenoWorker, 'enforcement' | 'deniesRanges'>,
  rights: EffectiveRights,
): Enforcement {
  let label = known.get(worker)
  if (!label) {
    label = labelOf(worker, rights)
    known.set(worker, label)
  }
  return label
}

function labelOf(
  worker: Pick<DenoWorker, 'enforcement' | 'deniesRanges'>,
  rights: EffectiveRights,
): Enforcement {
  const fence = worker.enforcement
  const noticed: Enforced = MemoryWatch.isPossible ? 'partial' : 'advisory'
  const hasNetwork = rights.network.public || rights.network.hosts.length > 0
  const deno: Enforcement = {
    layers: ['deno', ...(MemoryWatch.isPossible ? ['watch'] : [])],
    dimensions: {
      time: 'enforced',
      output: 'enforced',
      store: 'enforced',
      secrets: 'enforced',
      read: 'enforced',
      write: 'enforced',
      env: 'enforced',
      subprocess: 'enforced',
      ffi: 'enforced',
      heap: 'enforced',
      memory: noticed,
      network: !hasNetwork || worker.deniesRanges ? 'enforced' : 'partial',
      ...(hasNetwork
        ? { 'private-ipv6': fence.dimensions['network'] === 'enforced' ? 'enforced' : 'partial' }
        : {}),
      imports: rights.imports.length === 0 ? 'enforced' : 'partial',
      'second-wall': isWalled(fence) ? 'enforced' : 'advisory',
    },
  }
  return strongestOf(deno, fence)
}
