import { makeCrib } from '../make-crib.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const calls = 5_000

export const growth = {
  about: 'one in-process call in a crib of many tools',
  unit: 'µs',
  what: 'tools',
  sizes: [100, 1_000, 10_000],
  rounds: 9,
  async setup(size) {
    const { root, remove } = tempFolder()
    makeCrib(root, size)
    const crib = await openCrib({ root, env: { PATH: process.env.PATH, HOME: root } })
    crib.addTool({ id: 'echo', params: { type: 'object' }, fn: (params) => params })
    return {
      async measure() {
        const started = performance.now()
        for (let i = 0; i < calls; i++)
          if (!(await crib.call('echo', { i })).ok) throw new Error('the call failed')
        return ((performance.now() - started) * 1000) / calls
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
