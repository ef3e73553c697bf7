import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCrib } from '../make-crib.mjs'

const count = 10_000
const worker = new URL('../catalog-worker.mjs', import.meta.url).pathname

/** Each load is a process of its own, so that nothing is warm but what the disk cache makes warm. */
function load(mode, root) {
  const env = { ...process.env, HOME: root, NODE_EXTRA_CA_CERTS: '' }
  return Number(execFileSync(process.execPath, [worker, mode, root], { encoding: 'utf8', env }))
}

export const scenario = {
  about: `${count} mixed tool files`,
  unit: 'ms',
  run: { rounds: 5, warmUp: 1 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    makeCrib(root, count)
    return {
      reference: 'read and parse bare',
      sides: {
        'read and parse bare': { measure: async () => load('bare', root) },
        'ours, cold': { measure: async () => load('cold', root) },
        'ours, warm': { measure: async () => load('warm', root) },
      },
      teardown: () => rmSync(root, { recursive: true }),
    }
  },
}
