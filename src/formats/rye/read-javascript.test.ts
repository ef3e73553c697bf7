import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { readJavascript } from './read-javascript.ts'

function fieldsOf(path: string, text: string): Record<string, unknown> {
  return Object.fromEntries(
    [...readJavascript(path, text).fields].map(([name, field]) => [name, field.value]),
  )
}

describe('where metadata stands', () => {
  it.each([
    ['x.ts', 'export const __version__: string = "1.0.0"'],
    ['x.js', 'const __version__ = "1.0.0"'],
    ['x.js', 'let __version__ = "1.0.0"'],
    ['x.js', 'var __version__ = "1.0.0"'],
    ['x.cjs', 'module.exports.__version__ = "1.0.0"'],
    ['x.cjs', 'exports.__version__ = "1.0.0"'],
    ['x.cjs', 'module.exports = { __version__: "1.0.0", main() {} }'],
    ['x.cjs', 'exports = module.exports = { "__version__": "1.0.0" }'],
    ['x.cjs', 'const __version__ = "1.0.0"; module.exports = { __version__ }'],
    ['x.mjs', 'export default { __version__: "1.0.0" }'],
  ])('%s: %s', (path, text) => {
    verifies('R11')
    expect(fieldsOf(path, text)).toEqual({ version: '1.0.0' })
  })

  it.each([
    '// export const __version__ = "1.0.0"',
    '/* const __version__ = "1.0.0" */',
    'const text = `const __version__ = "1.0.0"`',
    'function f() { const __version__ = "1.0.0" }',
    'const { __version__ } = x',
    'a.__version__ = "1.0.0"',
  ])('not in %s', (text) => {
    verifies('R11')
    expect(fieldsOf('x.js', text)).toEqual({})
  })
})

describe('values', () => {
  it.each([
    ['"a" + "b"', 'ab'],
    ['`a\nb`', 'a\nb'],
    ['`${BASE}!`', 'base!'],
    ['({ a: 1 } as const) satisfies T', { a: 1 }],
    ['<T>{ a: -1 }', { a: -1 }],
    ['Object.freeze({ a: [true, null] })', { a: [true, null] }],
    ['{ ...MAP, "c-d": 2, [BASE]: 3 }', { b: 1, 'c-d': 2, base: 3 }],
    ['[...LIST, 2,]', [1, 2]],
    ['{ MAP }', { MAP: { b: 1 } }],
    ['x!', { b: 1 }],
  ])('%s folds', (source, value) => {
    verifies('R11')
    const text = `const BASE = "base"\nconst MAP = { b: 1 }, LIST = [1], x = MAP\nexport const __metadata__ = ${source}`
    const reading = readJavascript('x.ts', text)
    expect(reading.notes).toEqual([])
    expect(reading.fields.get('metadata')?.value).toEqual(value)
  })

  it.each([
    ['a call', 'const __version__ = f()', 1],
    ['a block', 'if (x) {\n  exports.__version__ = "1"\n}', 2],
    ['a later change', 'let __tags__ = []\n__tags__ = ["a"]', 2],
    ['a pushed element', 'const __tags__ = []\n__tags__.push("a")', 2],
    ['an unknown spread', 'const CONFIG_SCHEMA = {\n ...x }', 2],
    ['a method', 'const CONFIG = { a() {} }', 1],
  ])('%s is named with its line', (_, text, line) => {
    verifies('R17')
    expect(readJavascript('x.js', text).notes).toMatchObject([{ code: 'schema-not-static', line }])
  })

  it('reports what is no JavaScript, with the line, and keeps what it can', () => {
    verifies('R9')
    expect(readJavascript('x.js', 'const a = 1\nconst = 2\n').notes[0]).toMatchObject({
      code: 'metadata-parse',
      line: 2,
    })
  })
})

describe('JSDoc', () => {
  const block = `/**
 * Say hello.
 *
 * @version 1.0.0
 * @tool_type javascript
 * @executor_id node_runtime
 * @category utility
 * @description Greets
 * @requires net.http, fs.read
 * @param {string} name - Whom to greet
 * @param {integer} [times=2] How often
 */`

  it('fills the fields that the code does not set', () => {
    verifies('R12')
    expect(fieldsOf('x.js', `/** first */\n${block}\nconst __version__ = "2.0.0"`)).toEqual({
      version: '2.0.0',
      tool_type: 'javascript',
      executor_id: 'node_runtime',
      category: 'utility',
      description: 'Greets',
      requires: ['net.http', 'fs.read'],
      parameters: [
        { name: 'name', type: 'string', required: true, description: 'Whom to greet' },
        { name: 'times', type: 'integer', required: false, default: 2, description: 'How often' },
      ],
    })
  })

  it('is read only from a block with one of its three tags', () => {
    verifies('R12')
    expect(fieldsOf('x.js', '/** @description no\n * @param {string} a */\n/* @version 1.0.0 */')).toEqual({})
  })
})

describe('entries', () => {
  it.each([
    ['x.mjs', 'export default function () {}', { hasDefault: true }],
    ['x.mjs', "import { wrap } from './wrap.mjs'\nexport default wrap(() => {})", { hasDefault: true }],
    ['x.mjs', "import run from './run.mjs'\nexport default run", { hasDefault: true }],
    ['x.mjs', "export { execute, run as main } from './run.mjs'", { hasExecute: true, hasMain: true }],
    ['x.mjs', "export * from './run.mjs'", { hasExecute: false, givesOut: ['./run.mjs'] }],
    ['x.cjs', "module.exports = { ...require('./run.cjs'), a: 1 }", { givesOut: ['./run.cjs'] }],
    ['x.cjs', "Object.assign(module.exports, require('./run.cjs'))", { givesOut: ['./run.cjs'] }],
    ['x.cjs', "tslib_1.__exportStar(require('./run.cjs'), exports)", { givesOut: ['./run.cjs'] }],
    ['x.mjs', 'export default 5', { hasDefault: false }],
    ['x.ts', 'function main(p: X) {}\nexport default main', { hasDefault: true }],
    ['x.mjs', 'export const execute = async () => {}', { hasExecute: true }],
    ['x.mjs', 'function go() {}\nexport { go as execute }', { hasExecute: true }],
    ['x.cjs', 'module.exports = async (p) => {}', { hasDefault: true }],
    ['x.cjs', 'function main() {}\nmodule.exports = { main }', { hasMain: true }],
    ['x.cjs', 'exports.execute = function () {}', { hasExecute: true }],
    ['x.mjs', 'function execute() {}', { hasExecute: false }],
    ['x.mjs', 'export const main = 3', { hasMain: false }],
  ])('%s: %s', (path, text, facts) => {
    expect(readJavascript(path, text).code).toMatchObject(facts)
  })

  it('a module under one name gives nothing out that could be called', () => {
    expect(readJavascript('x.mjs', "export * as execute from './run.mjs'").code?.givesOut).toBeUndefined()
  })

  it('finds the line of a part of a field', () => {
    const text = 'export const CONFIG_SCHEMA = {\n  properties: {\n    a: {\n      type: "x" } } }'
    expect(readJavascript('x.ts', text).locate('config_schema', '/properties/a/type')).toBe(4)
  })
})
