// What a system call reaches for: which path, and whether it reads, lists, writes or makes. The calls in this table are
// the ones that are traced, and no others.
import { pathOfDescriptor, type TracedCall, textOf } from './trace-lines.ts'

export type PathUse = 'look' | 'open' | 'write' | 'make' | 'enter'

export interface PathAsked {
  /** As the call names it. */
  readonly path: string
  /** The folder that a relative path counts from; undefined: the working folder. */
  readonly from: string | undefined
  readonly use: PathUse
  /** Flags of an open. */
  readonly flags: string
}

interface PathArgument {
  /** Position of the path. */
  readonly at: number
  /** Position of the descriptor it counts from. */
  readonly dir?: number
  readonly use: PathUse
  readonly flags?: number
}

const look = (at: number, dir?: number): PathArgument => ({ at, dir, use: 'look' }) as PathArgument
const make = (at: number, dir?: number): PathArgument => ({ at, dir, use: 'make' }) as PathArgument
const write = (at: number, dir?: number): PathArgument => ({ at, dir, use: 'write' }) as PathArgument

const pathCalls: { readonly [name: string]: readonly PathArgument[] } = {
  open: [{ at: 0, use: 'open', flags: 1 }],
  openat: [{ at: 1, dir: 0, use: 'open', flags: 2 }],
  openat2: [{ at: 1, dir: 0, use: 'open', flags: 2 }],
  creat: [make(0)],
  stat: [look(0)],
  lstat: [look(0)],
  newfstatat: [look(1, 0)],
  statx: [look(1, 0)],
  access: [look(0)],
  faccessat: [look(1, 0)],
  faccessat2: [look(1, 0)],
  readlink: [look(0)],
  readlinkat: [look(1, 0)],
  mkdir: [make(0)],
  mkdirat: [make(1, 0)],
  rmdir: [make(0)],
  unlink: [make(0)],
  unlinkat: [make(1, 0)],
  rename: [make(0), make(1)],
  renameat: [make(1, 0), make(3, 2)],
  renameat2: [make(1, 0), make(3, 2)],
  link: [make(1)],
  linkat: [make(3, 2)],
  symlink: [make(1)],
  symlinkat: [make(2, 1)],
  mknod: [make(0)],
  mknodat: [make(1, 0)],
  truncate: [write(0)],
  chmod: [write(0)],
  fchmodat: [write(1, 0)],
  utimensat: [write(1, 0)],
  chdir: [{ at: 0, use: 'enter' }],
}

/** A name that this machine's processor does not have is passed over. */
export const tracedNames: string = [
  ...Object.keys(pathCalls),
  ...['execve', 'execveat', 'connect', 'fchdir', 'clone', 'clone3', 'fork', 'vfork'],
]
  .map((name) => `?${name}`)
  .join(',')

/** The paths that a call names. */
export function pathsAsked({ name, args }: TracedCall): PathAsked[] {
  return (pathCalls[name] ?? []).flatMap(({ at, dir, use, flags }) => {
    const path = textOf(args[at])
    if (path === undefined || path === '') return []
    const from = dir === undefined ? undefined : pathOfDescriptor(args[dir])
    return [{ path, from, use, flags: flags === undefined ? '' : (args[flags] ?? '') }]
  })
}

export interface Connection {
  readonly host: string
  readonly port: number
}

/** Where a call connects to; undefined for what is no address of the Internet. */
export function connectionOf({ name, args }: TracedCall): Connection | undefined {
  const address = name === 'connect' ? args[1] : undefined
  const port = /sin6?_port=htons\((\d+)\)/.exec(address ?? '')?.[1]
  const host = /inet_(?:addr\(|pton\(AF_INET6, )"([^"]+)"/.exec(address ?? '')?.[1]
  return port === undefined || host === undefined ? undefined : { host, port: Number(port) }
}
