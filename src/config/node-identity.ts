// Who holds a lease or a claim: this process, told apart from every other one that may share the store. When
// the holder lived on this machine and is gone, what it held is free at once, without waiting for the lease.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAlive } from './is-alive.ts'

function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Start time of a process in clock ticks: a reused process id has another one. */
function startOf(pid: number | 'self'): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

let machine: string | undefined

/** Machine, boot and process namespace: the range in which a process id means something. */
function machineId(): string {
  machine ??= createHash('sha256')
    .update(hostname())
    .update(attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(attempt(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 12)
  return machine
}

/** A new identity; a process that opens two engines has two. */
export function newNode(): string {
  return `${machineId()}.${process.pid}.${startOf('self')}.${randomBytes(4).toString('hex')}`
}

let own: string | undefined

/** The identity of this process, where one is enough: what it leaves behind is told from what a live one works on. */
export function thisNode(): string {
  own ??= newNode()
  return own
}

/** True only when the node's process certainly no longer exists. */
export function isDeadNode(node: string): boolean {
  const [host, pidText, start] = node.split('.')
  const pid = Number(pidText)
  if (host !== machineId() || !Number.isInteger(pid) || pid === process.pid) return false
  if (!isAlive(pid)) return true
  const now = startOf(pid)
  return start !== '' && now !== '' && now !== start
}

/** True only when the node's process certainly still exists: another boot or machine has none that we can see. */
export function isLiveNode(node: string): boolean {
  return node.split('.')[0] === machineId() && !isDeadNode(node)
}
