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

export function sample({ pid, temp, state }) {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '')
  const stored = attempt(() => readdirSync(state), []).filter((name) => name.startsWith('crib.db'))
  return {
    'memory, MB': Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
    descriptors: attempt(() => readdirSync(`/proc/${pid}/fd`).length, 0),
    processes: familyOf(pid).length,
    'temporary files': attempt(() => readdirSync(temp).length, 0),
    'store, MB':
      stored.reduce((sum, name) => sum + attempt(() => statSync(join(state, name)).size, 0), 0) / 1e6,
  }
}
