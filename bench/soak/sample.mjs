// What a served crib holds at one moment, read from outside: from /proc, its temporary folder and its store.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const attempt = (read, otherwise) => {
  try {
    return read()
  } catch {
    // Gone meanwhile.
    return otherwise
  }
}

export function familyOf(pid) {
  const tasks = attempt(() => readdirSync(`/proc/${pid}/task`), [])
  const children = tasks.flatMap((task) =>
    attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean),
  )
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}

const megabytes = (pid) => {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

const filesBelow = (folder) => attempt(() => readdirSync(folder, { recursive: true }).length, 0)

/** `crib` is what `makeSoakCrib` gives. */
export function sample(pid, { root, home, temp }) {
  const state = join(root, '.toolcrib')
  const stored = attempt(() => readdirSync(state), []).filter((name) => name.startsWith('crib.db'))
  const [, ...others] = familyOf(pid)
  return {
    'memory, MB': megabytes(pid),
    'workers, MB': others.reduce((sum, other) => sum + megabytes(other), 0),
    descriptors: attempt(() => readdirSync(`/proc/${pid}/fd`).length, 0),
    processes: others.length + 1,
    'files of state': filesBelow(state),
    'temporary files': filesBelow(temp) + filesBelow(join(home, '.local/state/toolcrib/layers')),
    'change records':
      filesBelow(join(home, '.local/state/toolcrib/changes')) +
      filesBelow(join(home, '.local/state/toolcrib/images')),
    'store, MB':
      stored.reduce((sum, name) => sum + attempt(() => statSync(join(state, name)).size, 0), 0) / 1e6,
  }
}
