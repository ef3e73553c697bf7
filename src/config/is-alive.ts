// Is the process alive that a journal, a lease or a control group belongs to?
import { readFileSync } from 'node:fs'

/** Whether a process of this number is at work; only what is certainly gone is not. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** It has ended, and nobody has asked for its exit code yet: in a container perhaps nobody ever does. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}
