// Where this process and those it talks to run. Left to the system, a round trip takes place on one core or on two by
// chance, and takes three times as long on two; sides that are compared must be placed alike.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** False where processes cannot be placed: then the system decides, for all sides. */
export const canPlace =
  availableParallelism() > 1 && ['/usr/bin/taskset', '/bin/taskset'].some((file) => runs(file))

function runs(file) {
  try {
    execFileSync(file, ['-p', String(process.pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** This thread on the first core, what it started on the second (`apart`) or on the first too (`together`). */
export function place(how) {
  if (!canPlace) return
  const taskset = (...args) => execFileSync('taskset', args, { stdio: 'ignore' })
  const all = `0-${availableParallelism() - 1}`
  taskset('-cp', how === 'anywhere' ? all : '0', String(process.pid))
  const core = { apart: '1', together: '0', anywhere: all }[how]
  for (const pid of descendants(process.pid)) {
    try {
      taskset('-acp', core, String(pid))
    } catch {
      // Gone meanwhile.
    }
  }
}

function descendants(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
      .filter(Boolean)
      .flatMap((child) => [Number(child), ...descendants(child)])
  } catch {
    return []
  }
}
