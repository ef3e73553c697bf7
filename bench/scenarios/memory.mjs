import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openCrib } from '../the-build.mjs'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc')

function heapMb() {
  gc()
  gc()
  return process.memoryUsage().heapUsed / 1_048_576
}

export const scenario = {
  about: 'growth of the heap by 100,000 in-process calls',
  unit: 'MB',
  run: { rounds: 5, warmUp: 1 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const crib = await openCrib({ root })
    crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
    return {
      reference: 'nothing',
      sides: {
        nothing: { measure: async () => Math.abs(heapMb() - heapMb()) },
        'ours, 100,000 calls': {
          async measure() {
            const before = heapMb()
            for (let i = 0; i < 100_000; i++) await crib.call('echo', { i })
            return heapMb() - before
          },
        },
      },
      async teardown() {
        await crib.close()
        rmSync(root, { recursive: true })
      },
    }
  },
}
