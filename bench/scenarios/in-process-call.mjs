import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import compose from 'koa-compose'
import { openCrib } from '../the-build.mjs'

const calls = 20_000
const params = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
  required: ['a'],
}
const returns = { type: 'number' }

export const scenario = {
  about: 'a call of an in-process tool through the whole onion',
  unit: 'µs',
  run: { rounds: 9, warmUp: 2 },
  short: { rounds: 5 },
  async setup() {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
    const crib = await openCrib({ root })
    const add = ({ a, b }) => a + b
    crib.addTool({ id: 'add', params, returns, fn: add })
    const ajv = new Ajv2020({ useDefaults: true })
    const validParams = ajv.compile(params)
    const validResult = ajv.compile(returns)
    // A chain as long as the standard pipeline, of middlewares that do nothing but call the next.
    const passOn = (_context, next) => next()
    const chain = compose([
      ...Array.from({ length: 13 }, () => passOn),
      async (context) => {
        if (!validParams(context.given)) throw new Error('invalid')
        context.result = await add(context.given)
        if (!validResult(context.result)) throw new Error('invalid')
      },
    ])
    return {
      reference: 'bare function + ajv',
      sides: {
        'bare function + ajv': {
          operations: calls,
          async work() {
            for (let i = 0; i < calls; i++) {
              const given = { a: i }
              if (!validParams(given) || !validResult(await add(given))) throw new Error('invalid')
            }
          },
        },
        'koa-compose, 14 deep': {
          operations: calls,
          async work() {
            for (let i = 0; i < calls; i++) await chain({ given: { a: i } })
          },
        },
        ours: {
          operations: calls,
          async work() {
            for (let i = 0; i < calls; i++)
              if (!(await crib.call('add', { a: i })).ok) throw new Error('failed')
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
