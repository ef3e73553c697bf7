// What one call may touch, as data. Computed from the tool's needs and the grants; enforced by the fence.
import { isInside } from '../files/is-inside.ts'
import type { Static } from '../tool/shape.ts'
import type { networkRuleShape, profileShape } from './profile-shape.ts'

export type NetworkRule = Static<typeof networkRuleShape>

export interface Profile extends Static<typeof profileShape> {}

/** Whether a path lies in a writable area: of all paths above it in `write` and `readOnly` the nearest counts. */
export function mayWrite(
  { write, readOnly }: Pick<Profile, 'write' | 'readOnly'>,
  path: string,
  real: (path: string) => string = (given) => given,
): boolean {
  const nearest = (paths: readonly string[]) =>
    Math.max(0, ...paths.map(real).map((one) => (isInside(path, one) ? one.length : 0)))
  return nearest(write) > nearest(readOnly)
}

/** A profile that allows nothing, as a base for tests and for tools that declare no needs. */
export const closedProfile: Profile = {
  network: { mode: 'none' },
  read: [],
  write: [],
  hidden: [],
  readOnly: [],
  subprocess: false,
  calls: [],
  memoryMb: 2_048,
  cpuPercent: null,
  processes: 512,
  outputBytes: 16_777_216,
}
