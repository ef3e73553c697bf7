// A disk whose process dies, or which is full, at its n-th call that writes.
import { type Disk, realDisk } from '../../src/sandbox/changes/disk.ts'

/** Calls `before` with the name of each call and its number, from 1. */
export function watchedDisk(before: (name: keyof Disk, count: number) => void): Disk {
  let count = 0
  const entries = (Object.keys(calls) as (keyof Disk)[]).map((name) => [
    name,
    (...args: unknown[]) => {
      count += 1
      before(name, count)
      return (realDisk[name] as (...all: unknown[]) => unknown)(...args)
    },
  ])
  return Object.fromEntries(entries) as Disk
}

/** Every call of a disk; the compiler says when one is missing. */
const calls: Record<keyof Disk, true> = {
  chmodSync: true,
  fsync: true,
  lchownSync: true,
  linkSync: true,
  lutimesSync: true,
  mkdirSync: true,
  renameSync: true,
  rmdirSync: true,
  rmSync: true,
  symlinkSync: true,
  unlinkSync: true,
  writeSync: true,
}

/** Nothing happens any more after the n-th call, as if the process had died. */
export function deadAfter(calls: number): Disk {
  return watchedDisk((_, count) => {
    if (count > calls) throw Object.assign(new Error('The process is dead.'), { code: 'DEAD' })
  })
}

/** Nothing more fits after the n-th call; removing and renaming still work. */
export function fullAfter(calls: number): Disk {
  const needsRoom = ['linkSync', 'mkdirSync', 'symlinkSync', 'writeSync', 'fsync']
  return watchedDisk((name, count) => {
    if (count > calls && needsRoom.includes(name))
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  })
}
