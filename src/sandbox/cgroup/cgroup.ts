// One control group round one process and all it starts, whatever session or parent they choose. The kernel
// holds the limits; removing the group kills whoever is still in it.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { familyOf } from '../process-tree.ts'
import type { CgroupHome, Controller } from './find-cgroups.ts'

export interface CgroupLimits {
  readonly memoryMb: number
  readonly processes: number
  readonly cpuPercent: number | null
}

const periodUs = 100_000
const removeAttempts = 40
const removeDelayMs = 25
let count = 0

export class Cgroup {
  readonly #home: CgroupHome
  readonly #folders: { readonly [controller in Controller]?: string }

  /** Throws when a group cannot be made or a limit not be set. */
  constructor(home: CgroupHome, limits: CgroupLimits) {
    this.#home = home
    const name = `toolcrib-${process.pid}-${++count}`
    const folders: { [controller in Controller]?: string } = {}
    for (const controller of ['memory', 'pids', 'cpu'] as const) {
      const parent = home.parents[controller]
      if (parent === undefined || (controller === 'cpu' && limits.cpuPercent === null)) continue
      folders[controller] = join(parent, name)
    }
    this.#folders = folders
    try {
      for (const folder of this.folders) mkdirSync(folder, { recursive: true })
      this.#setLimits(limits)
    } catch (error) {
      this.remove()
      throw error
    }
  }

  get folders(): string[] {
    return [...new Set(Object.values(this.#folders))]
  }

  /**
   * The files into which a process of one thread writes 0 to move itself in. In version 1 that is `tasks`: the kernel
   * moves one thread at once, and waits 8 to 20 ms for all processors before it moves a whole process.
   */
  get doors(): string[] {
    return this.#home.version === 1 ? this.folders.map((folder) => join(folder, 'tasks')) : this.#processFiles
  }

  get #processFiles(): string[] {
    return this.folders.map((folder) => join(folder, 'cgroup.procs'))
  }

  get controllers(): { readonly memory: boolean; readonly pids: boolean; readonly cpu: boolean } {
    const { memory, pids, cpu } = this.#folders
    return { memory: memory !== undefined, pids: pids !== undefined, cpu: cpu !== undefined }
  }

  #setLimits(limits: CgroupLimits): void {
    const { memory, pids, cpu } = this.#folders
    const bytes = String(limits.memoryMb * 1024 * 1024)
    const isUnified = this.#home.version === 2
    if (memory !== undefined) {
      writeFileSync(join(memory, isUnified ? 'memory.max' : 'memory.limit_in_bytes'), bytes)
      // Swap would let memory grow past the limit; a kernel without swap accounting has no such file.
      tryWrite(
        join(memory, isUnified ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes'),
        isUnified ? '0' : bytes,
      )
      if (isUnified) tryWrite(join(memory, 'memory.oom.group'), '1')
    }
    if (pids !== undefined) writeFileSync(join(pids, 'pids.max'), String(limits.processes))
    if (cpu !== undefined && limits.cpuPercent !== null) {
      const quota = Math.max(1_000, Math.round((limits.cpuPercent / 100) * periodUs))
      if (isUnified) writeFileSync(join(cpu, 'cpu.max'), `${quota} ${periodUs}`)
      else {
        writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(periodUs))
        writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(quota))
      }
    }
  }

  /** Moves a process and what it has already started; later ones are born inside. */
  takeFamily(pid: number): void {
    const taken = new Set<number>()
    for (let found = [pid]; found.length > 0; found = familyOf(pid).filter((member) => !taken.has(member)))
      for (const member of found) {
        taken.add(member)
        try {
          this.take(member)
        } catch {
          // Gone meanwhile.
        }
      }
  }

  /** Moves a process in; what it starts from now on is inside too. */
  take(pid: number): void {
    for (const file of this.#processFiles) writeFileSync(file, String(pid))
  }

  /** How often the kernel had to kill for memory. */
  memoryKills(): number {
    const { memory } = this.#folders
    if (memory === undefined) return 0
    try {
      const file = join(memory, this.#home.version === 2 ? 'memory.events' : 'memory.oom_control')
      return Number(/^oom_kill (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  }

  members(): number[] {
    const members = new Set<number>()
    for (const file of this.#processFiles) {
      try {
        for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') members.add(Number(line))
      } catch {
        // Already removed.
      }
    }
    return [...members]
  }

  kill(): void {
    for (const pid of this.members()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone meanwhile.
      }
    }
  }

  /** Kills what is left and removes the group; what is still dying is waited for in the background. */
  remove(attempt = 0): void {
    this.kill()
    const left = this.folders.filter((folder) => !removed(folder))
    if (left.length === 0 || attempt >= removeAttempts) return
    setTimeout(() => this.remove(attempt + 1), removeDelayMs).unref()
  }
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function tryWrite(file: string, value: string): void {
  try {
    writeFileSync(file, value)
  } catch {
    // Not on this kernel.
  }
}
