// What a container sees of the host: the project at /workspace, as far as the tool's grants open it.
import { relative } from 'node:path'
import { type AreaMount, areaMounts } from '../../sandbox/bubblewrap/areas.ts'
import type { Placeholders } from '../../sandbox/bubblewrap/placeholders.ts'
import { isWithin, realPath } from '../../sandbox/paths.ts'
import type { Profile } from '../../sandbox/profile.ts'

export const workspace = '/workspace'

export interface MountOptions {
  readonly project: string
  /** What the tool is made of; shown where its grants do not open the whole project. */
  readonly own: readonly string[]
  readonly placeholders: Placeholders
}

/** True when the tool sees the whole project though no grant of its own lets it read. */
export function seesMore(profile: Profile): boolean {
  return profile.read.length === 0 && profile.write.length === 0
}

/** The flags of the mounts. A tool without any file grant sees the whole project read-only (R64). */
export function mountFlags(profile: Profile, { project, own, placeholders }: MountOptions): string[] {
  const extras = seesMore(profile) ? [project] : own.filter((path) => isWithin(path, project))
  const flags = new Map<string, string>()
  for (const mount of areaMounts(profile, { project, extras, placeholders })) {
    const target = inside(mount.target, project)
    if (target !== undefined && mount.kind !== 'seal') flags.set(target, mountFlag(mount, target))
  }
  // The working folder must be there even where only some folders of the project are.
  if (!flags.has(workspace)) flags.set(workspace, `type=tmpfs,target=${workspace}`)
  return [...flags.values()].flatMap((flag) => ['--mount', flag])
}

/** The place in the container; undefined for what is no part of the project. */
function inside(path: string, project: string): string | undefined {
  const root = [project, realPath(project)].find((folder) => isWithin(path, folder))
  if (root === undefined) return undefined
  return path === root ? workspace : `${workspace}/${relative(root, path)}`
}

function mountFlag(mount: AreaMount, target: string): string {
  if (mount.kind !== 'bind') return ['type=tmpfs', quoted(`target=${target}`), 'tmpfs-mode=0555'].join(',')
  return [
    'type=bind',
    quoted(`source=${mount.source}`),
    quoted(`target=${target}`),
    ...(mount.isWritable ? [] : ['readonly']),
  ].join(',')
}

/** `--mount` is read as a line of CSV. */
function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
