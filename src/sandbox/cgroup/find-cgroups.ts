// Finds where this process may make control groups of its own: below its own group (version 1, one tree per
// controller) or at the nearest parent that hands controllers down (version 2). Limits set by whoever started
// us keep holding, because we stay below them.
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from '../../config/is-alive.ts'
import { isInside } from '../../files/is-inside.ts'

export type Controller = 'memory' | 'pids' | 'cpu'

export interface CgroupHome {
  readonly version: 1 | 2
  /** For each usable controller the folder in which groups can be made. */
  readonly parents: { readonly [controller in Controller]?: string }
}

export interface CgroupProbe {
  readonly found?: CgroupHome
  readonly reason?: string
}

const controllers: readonly Controller[] = ['memory', 'pids', 'cpu']
const limitFiles = {
  1: { memory: 'memory.limit_in_bytes', pids: 'pids.max', cpu: 'cpu.cfs_quota_us' },
  2: { memory: 'memory.max', pids: 'pids.max', cpu: 'cpu.max' },
} as const

/** Tried, not assumed: a group is made and removed in every folder that is to be used. */
export function probeCgroups(root = '/proc/self'): CgroupProbe {
  if (process.platform !== 'linux') return { reason: 'control groups exist on Linux only' }
  try {
    const own = ownGroups(readFileSync(join(root, 'cgroup'), 'utf8'))
    const mounts = cgroupMounts(readFileSync(join(root, 'mountinfo'), 'utf8'))
    const found = version2(own, mounts) ?? version1(own, mounts)
    return found ? { found } : { reason: 'no control group is writable for this user' }
  } catch (error) {
    return { reason: `control groups cannot be read: ${(error as Error).message}` }
  }
}

/** `4:memory:/a/b` → memory: /a/b; the unified tree has the empty name. */
function ownGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>()
  for (const line of text.split('\n')) {
    const match = /^\d+:([^:]*):(.*)$/.exec(line)
    for (const name of match?.[1]?.split(',') ?? []) groups.set(name, match![2]!)
  }
  return groups
}

interface CgroupMount {
  readonly folder: string
  /** Which part of the hierarchy is mounted there. */
  readonly root: string
}

function cgroupMounts(text: string): Map<string, CgroupMount> {
  const mounts = new Map<string, CgroupMount>()
  for (const line of text.split('\n')) {
    const [before, after] = line.split(' - ')
    if (before === undefined || after === undefined) continue
    const [type, , options = ''] = after.split(' ')
    const fields = before.split(' ')
    const mount = { root: fields[3]!, folder: fields[4]! }
    if (type === 'cgroup2') mounts.set('', mount)
    if (type === 'cgroup') for (const option of options.split(',')) mounts.set(option, mount)
  }
  return mounts
}

function folderOf(mount: CgroupMount, group: string): string {
  const inside = isInside(group, mount.root) ? group.slice(mount.root === '/' ? 0 : mount.root.length) : ''
  return join(mount.folder, inside)
}

function version1(own: Map<string, string>, mounts: Map<string, CgroupMount>): CgroupHome | undefined {
  const parents: { [controller in Controller]?: string } = {}
  for (const controller of controllers) {
    const mount = mounts.get(controller)
    const group = own.get(controller)
    if (!mount || group === undefined) continue
    const folder = folderOf(mount, group)
    if (holds(folder, [limitFiles[1][controller]])) parents[controller] = folder
  }
  return Object.keys(parents).length > 0 ? { version: 1, parents } : undefined
}

function version2(own: Map<string, string>, mounts: Map<string, CgroupMount>): CgroupHome | undefined {
  const mount = mounts.get('')
  const group = own.get('')
  if (!mount || group === undefined) return undefined
  // A group with processes in it hands no controllers down, so ours is usually a sibling of our own.
  for (let folder = folderOf(mount, group); isInside(folder, mount.folder); folder = dirname(folder)) {
    const handed = new Set(readIfThere(join(folder, 'cgroup.subtree_control')).trim().split(/\s+/))
    const usable = controllers.filter(
      (controller) => handed.has(controller) && holds(folder, [limitFiles[2][controller]]),
    )
    if (usable.length > 0 && isWritable(join(folder, 'cgroup.procs'))) {
      return { version: 2, parents: Object.fromEntries(usable.map((controller) => [controller, folder])) }
    }
  }
  return undefined
}

/** Makes a group, looks whether its limits can be written, removes it. Groups of dead processes go too. */
function holds(folder: string, files: readonly string[]): boolean {
  const trial = join(folder, `toolcrib-${process.pid}-probe`)
  try {
    mkdirSync(trial, { recursive: true })
    removeLeftovers(folder)
    return ['cgroup.procs', ...files].every((file) => isWritable(join(trial, file)))
  } catch {
    return false
  } finally {
    remove(trial)
  }
}

function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^toolcrib-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(folder, name))
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not made, or not empty yet.
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}
