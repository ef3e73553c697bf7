import { makeCrib } from '../make-crib.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

export const growth = {
  about: 'listing every tool of an open crib',
  unit: 'ms',
  what: 'tools',
  sizes: [100, 1_000, 10_000],
  rounds: 9,
  async setup(size) {
    const { root, remove } = tempFolder()
    makeCrib(root, size)
    const crib = await openCrib({ root, env: { PATH: process.env.PATH, HOME: root } })
    return {
      async measure() {
        const started = performance.now()
        if (crib.list().length < size / 2) throw new Error('tools are missing')
        return performance.now() - started
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
