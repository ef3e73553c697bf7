import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

export const growth = {
  about: 'the newest 100 crumbs of one tag and schema out of many',
  unit: 'ms',
  what: 'crumbs',
  sizes: [1_000, 10_000, 100_000],
  rounds: 9,
  async setup(size) {
    const { root, remove } = tempFolder()
    const crib = await openCrib({ root, env: { PATH: process.env.PATH, HOME: root } })
    for (let from = 0; from < size; from += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          crib.crumbs.create({
            title: `Crumb ${from + index}`,
            schema_name: `bench.v${index % 5}`,
            tags: [`group:${index % 20}`],
            context: { number: from + index },
          }),
        ),
      )
    return {
      async measure() {
        const started = performance.now()
        const { items } = await crib.crumbs.list({ schema: 'bench.v1', tags: ['group:1'], limit: 100 })
        if (items.length === 0) throw new Error('nothing was found')
        return performance.now() - started
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
