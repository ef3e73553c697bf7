// What a container sees of the host: the project at /workspace, as far as the tool's grants open it.
import { relative } from 'node:path'
import { isInside } from '../../files/is-inside.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import type { Profile } from '../../sandbox/profile.ts'
import { type AreaMount, areaMounts } from '../../sandbox/view/areas.ts'
import type { Placeholders } from '../../sandbox/view/placeholders.ts'
import type { BlankFolder } from './blank-folder.ts'

export const workspace = '/workspace'

export interface MountOptions {
  readonly project: string
  /** What the tool is made of; shown where its grants do not open the whole project. */
  readonly own: readonly string[]
  readonly placeholders: Placeholders
  readonly blank: BlankFolder
}

/** True when the tool sees the whole project though no grant of its own lets it read. */
export function seesMore(profile: Profile): boolean {
  return profile.read.length === 0 && profile.write.length === 0
}

/** The flags of the mounts. A tool without any file grant sees the whole project read-only (R64). */
export function mountFlags(profile: Profile, options: MountOptions): string[] {
  const { project, own, placeholders, blank } = options
  const extras = seesMore(profile) ? [project] : own.filter((path) => isInside(path, project))
  const flags = new Map<string, string>()
  for (const mount of areaMounts(profile, { project, extras, placeholders })) {
    const target = inside(mount.target, project)
    if (target !== undefined && mount.kind !== 'seal') flags.set(target, mountFlag(mount, target, blank))
  }
  // The working folder must be there even where only some folders of the project are.
  if (!flags.has(workspace)) flags.set(workspace, `type=tmpfs,target=${workspace}`)
  return [...flags.values()].flatMap((flag) => ['--mount', flag])
}

/** The place in the container; undefined for what is no part of the project. */
function inside(path: string, project: string): string | undefined {
  const root = [project, nearestRealPath(project)].find((folder) => isInside(path, folder))
  if (root === undefined) return undefined
  return path === root ? workspace : `${workspace}/${relative(root, path)}`
}

function mountFlag(mount: Exclude<AreaMount, { kind: 'seal' }>, target: string, blank: BlankFolder): string {
  const source = mount.kind === 'blank' ? blank.path : mount.source
  return [
    'type=bind',
    quoted(`source=${source}`),
    quoted(`target=${target}`),
    ...(mount.kind === 'bind' && mount.isWritable ? [] : ['readonly']),
  ].join(',')
}

/** `--mount` is read as a line of CSV. */
function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
