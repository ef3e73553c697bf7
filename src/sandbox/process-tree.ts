// Reads the family of a process from /proc. Inside a PID namespace nobody leaves the family: an orphan is
// adopted by the namespace's own init, which is one of us.
import { readFileSync } from 'node:fs'

export interface ProcessStat {
  readonly pid: number
  readonly name: string
  /** User and system time of the process so far, in clock ticks of 10 ms. */
  readonly cpuTicks: number
  /** Resident pages. */
  readonly residentPages: number
}

const maxProcesses = 20_000

/** The process and all its descendants, parents first; those gone meanwhile are left out. */
export function familyOf(pid: number): number[] {
  const family = [pid]
  for (let index = 0; index < family.length && family.length < maxProcesses; index++) {
    family.push(...childrenOf(family[index]!))
  }
  return family
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** The figures of one process; undefined when it is gone. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in parentheses and may itself contain any character.
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    return {
      pid,
      name: text.slice(text.indexOf('(') + 1, end),
      cpuTicks: Number(fields[11]) + Number(fields[12]),
      residentPages: Number(fields[21]),
    }
  } catch {
    return undefined
  }
}

/** Ends a process and its group at once. */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone meanwhile.
  }
}
