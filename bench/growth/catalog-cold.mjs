import { execFileSync } from 'node:child_process'
import { makeCrib } from '../make-crib.mjs'
import { tempFolder } from '../temp-crib.mjs'

const worker = new URL('../catalog-worker.mjs', import.meta.url).pathname

/** A growth measurement of opening a crib, each time in a process of its own. */
export function opening(about, mode) {
  return {
    about,
    unit: 'ms',
    what: 'tools',
    sizes: [100, 1_000, 10_000],
    async setup(size) {
      const { root, remove } = tempFolder()
      makeCrib(root, size)
      const env = { PATH: process.env.PATH, HOME: root }
      return {
        measure: async () =>
          Number(
            execFileSync(process.execPath, [worker, mode, root, String(size / 2)], { encoding: 'utf8', env }),
          ),
        teardown: remove,
      }
    },
  }
}

export const growth = opening('opening a crib for the first time', 'cold')
