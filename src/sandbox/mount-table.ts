// What is mounted in a namespace, as the kernel tells it in `/proc/<pid>/mountinfo`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInside, pathWithin } from '../files/is-inside.ts'

export interface MountEntry {
  /** Which file system: its device numbers. */
  readonly device: string
  /** The folder of that file system that is shown. */
  readonly root: string
  readonly target: string
  readonly isReadOnly: boolean
  readonly type: string
}

/** The mounts of a process, in the order in which they were made. Throws what reading the file throws. */
export function mountsOf(pid: number | 'self'): MountEntry[] {
  return parseMounts(readFileSync(`/proc/${pid}/mountinfo`, 'utf8'))
}

export function parseMounts(text: string): MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ')
    const dash = fields.indexOf('-', 6)
    if (dash === -1) return []
    return [
      {
        device: fields[2]!,
        root: unescaped(fields[3]!),
        target: unescaped(fields[4]!),
        isReadOnly: /(?:^|,)ro(?:,|$)/.test(fields[5]!),
        type: fields[dash + 1]!,
      },
    ]
  })
}

/** What a path of a namespace is, whatever it is called there: file system, and the way from its root. */
export function identityOf(path: string, mounts: readonly MountEntry[]): string {
  let holder: MountEntry | undefined
  for (const mount of mounts)
    if (isInside(path, mount.target) && mount.target.length >= (holder?.target.length ?? 0)) holder = mount
  return holder ? `${holder.device} ${join(holder.root, pathWithin(path, holder.target)!)}` : ''
}

/** The kernel writes space, tab, line end and backslash as octal numbers; bytes that are no UTF-8 stay themselves. */
function unescaped(field: string): string {
  return field.includes('\\')
    ? field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    : field
}
