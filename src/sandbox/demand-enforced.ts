// Refuses to start where something that must be enforced is not: the one place that reads `sandbox: required` and
// `sandbox.require`.
import type { SandboxMode } from '../config/config.ts'
import type { Enforcement } from '../tool/outcome.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { LayerStatus } from './fence.ts'

export interface Demand {
  readonly mode: SandboxMode
  /** Dimensions or layers that must be enforced. */
  readonly require?: readonly string[]
}

/** Throws SANDBOX_UNAVAILABLE; `layers` is asked only then, for the one that is missing. */
export function demandEnforced(
  { dimensions, layers: inForce }: Enforcement,
  { mode, require = [] }: Demand,
  layers: () => readonly LayerStatus[],
): void {
  const needed = [...(mode === 'required' ? ['network', 'read', 'write'] : []), ...require]
  const lacking = needed.find((name) =>
    name in dimensions ? dimensions[name] !== 'enforced' : !inForce.includes(name),
  )
  if (lacking === undefined) return
  const wanted = layerFor[lacking] ?? lacking
  const status = layers().find((layer) => layer.name === wanted && !layer.available)
  throw new ToolError(
    'SANDBOX_UNAVAILABLE',
    `${lacking} cannot be enforced here${status ? `: ${status.name} is missing (${status.detail})` : ''}.`,
    {
      hint:
        status?.fix ??
        (require.includes(lacking)
          ? `Remove ${lacking} from sandbox.require in toolcrib.yaml.`
          : 'Take the grant away from the tool, or set sandbox: preferred in toolcrib.yaml.'),
      details: { dimension: lacking, ...(status ? { layer: status.name } : {}) },
    },
  )
}

/** Which layer enforces a dimension. */
const layerFor: { readonly [dimension: string]: string } = {
  network: 'bubblewrap',
  read: 'bubblewrap',
  write: 'bubblewrap',
  subprocess: 'bubblewrap',
  memory: 'cgroup',
  cpu: 'cgroup',
  processes: 'cgroup',
}
