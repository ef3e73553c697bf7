import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const size = 100_000

export const scenario = {
  about: 'the newest 100 of 100,000 breadcrumbs',
  unit: 'ms',
  run: { rounds: 31, warmUp: 3 },
  async setup() {
    const { root, remove } = tempFolder()
    const crib = await openCrib({ root, env: { HOME: root, PATH: process.env.PATH } })
    const { store } = await crib.crumbs.open()
    const actor = { owner: 'local', name: 'bench', isAdmin: true }
    for (let n = 0; n < size; n += 1000)
      await Promise.all(
        Array.from({ length: 1000 }, (_, m) =>
          store.crumbs.create(
            {
              title: `Crumb ${n + m}`,
              schema_name: `kind-${(n + m) % 7}.v1`,
              tags: ['all', `part:${(n + m) % 50}`, `rare:${(n + m) % 5000}`],
              visibility: 'team',
              sensitivity: 'low',
              context: { n: n + m, text: `word${(n + m) % 300} pencil` },
            },
            actor,
          ),
        ),
      )
    const side = (query) => ({
      async work() {
        if ((await crib.crumbs.list(query)).items.length === 0) throw new Error('nothing found')
      },
    })
    return {
      reference: 'by tag and schema',
      sides: {
        'by tag and schema': side({ tags: ['part:3'], schema: 'kind-3.v1' }),
        'by a tag all have and schema': side({ tags: ['all'], schema: 'kind-3.v1' }),
        'by two tags': side({ tags: ['all', 'rare:77'] }),
        'by schema': side({ schema: 'kind-3.v1' }),
        'by nothing': side({}),
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}
