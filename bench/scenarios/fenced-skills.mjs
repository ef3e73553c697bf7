import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openCrib } from '../../dist/index.js'
import { tempFolder } from '../temp-crib.mjs'

const calls = 300
const layers = Array.from({ length: 10 }, (_, index) => `layer-${index}`)
const params = { type: 'object', properties: { a: { type: 'number' } } }

const skill = (metadata, body) =>
  `import { ctxTarget } from 'toolcrib/skill'\nexport const frontmatter = ${JSON.stringify({ metadata })}\nexport default async function (ctx, args) { ${body} }\n`
const add = 'return args.a + 1'
const node = `export const __version__ = '1.0.0'
export const __tool_type__ = 'javascript'
export const __executor_id__ = 'node/node'
export const __category__ = ''
export const __tool_description__ = 'Adds'
export const CONFIG_SCHEMA = ${JSON.stringify(params)}
export default ({ a }) => a + 1
`

/** Warm calls of a code skill that nobody vouches for, and of one that runs in the host. */
export const scenario = {
  about: 'a warm call of a code skill',
  unit: 'µs',
  run: { rounds: 15, warmUp: 3 },
  async setup() {
    const { root, remove } = tempFolder()
    const write = (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    for (const name of layers)
      write(`skills/${name}.skill.js`, skill({ role: 'middleware' }, 'await ctxTarget(ctx).manager.next()'))
    write('skills/bare.skill.js', skill({ params }, add))
    const keys = Object.fromEntries(layers.map((name) => [name, null]))
    write('skills/wrapped.skill.js', skill({ params, ...keys }, add))
    write('.ai/tools/add.mjs', node)
    const open = (host) =>
      openCrib({ root, config: { trust: 'off', effects: { default: 'direct' }, skills: { host } } })
    const fenced = await open('never')
    const inHost = await open('always')
    const side = (crib, name) => ({
      operations: calls,
      async work() {
        for (let i = 0; i < calls; i++) {
          const outcome = await crib.call(name, { a: i })
          if (!outcome.ok) throw new Error(outcome.error.message)
        }
      },
    })
    return {
      reference: 'a Node tool',
      sides: {
        'a Node tool': side(fenced, 'add'),
        'behind the fence': side(fenced, 'bare'),
        'behind the fence, ten middlewares': side(fenced, 'wrapped'),
        'in the host': side(inHost, 'bare'),
        'in the host, ten middlewares': side(inHost, 'wrapped'),
      },
      async teardown() {
        await fenced.close()
        await inHost.close()
        remove()
      },
    }
  },
}
