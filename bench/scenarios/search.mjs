import { makeCrib } from '../make-crib.mjs'
import { tempFolder } from '../temp-crib.mjs'
import { openCrib } from '../the-build.mjs'

const queries = ['count the list of item 42', 'deploy', 'send mail', 'fetch item 9000', 'sort merge']

export const scenario = {
  about: 'the best 20 of 10,000 tools for a few words',
  unit: 'ms',
  run: { rounds: 9, warmUp: 1 },
  short: { rounds: 5 },
  async setup() {
    const { root, remove } = tempFolder()
    makeCrib(root, 10_000)
    const crib = await openCrib({ root, env: { PATH: process.env.PATH, HOME: root } })
    await crib.search('warm')
    const tools = crib.list()
    return {
      reference: 'linear scan',
      sides: {
        'linear scan': {
          operations: queries.length,
          work: async () => {
            for (const query of queries) linearScan(tools, query)
          },
        },
        ours: {
          operations: queries.length,
          work: async () => {
            for (const query of queries) await crib.search(query, 20)
          },
        },
      },
      async teardown() {
        await crib.close()
        remove()
      },
    }
  },
}

/** The floor without an index: every word looked for in every tool, the tools with most hits first. */
function linearScan(tools, query) {
  const words = query.toLowerCase().split(/\W+/)
  return tools
    .map((tool) => {
      const text = `${tool.id} ${tool.description} ${tool.tags.join(' ')}`.toLowerCase()
      return { tool, hits: words.filter((word) => text.includes(word)).length }
    })
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, 20)
}
