import { describe, expect, it } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { parseScript } from './parse-script.ts'
import { isShallowScript, maxScriptDepth, scriptDepth } from './script-depth.ts'

const deep = 20_000
const repeat = (text: string, end = ''): string => text.repeat(deep) + end.repeat(deep)

describe('a text that would overrun the parser', () => {
  it.each([
    ['brackets', `x = ${repeat('[', ']')}`],
    ['objects', `x = ${repeat('{a:', '}')}`],
    ['parentheses', repeat('(', ')')],
    ['calls', `a${repeat('(a', ')')}`],
    ['conditions', `x = ${repeat('a ? b : ')}1`],
    ['conditions over objects', `x = ${repeat('a ? {} + b : ')}1`],
    ['conditions over imports', `x = ${repeat('a ? import("b") : ')}1`],
    ['conditions over constants', `x = ${repeat('a ? b as const : ')}1`],
    ['arrows', `x = ${repeat('a => ')}1`],
    ['assignments', `x = ${repeat('let = ')}1`],
    ['templates', `x = ${repeat('`${', '}`')}`],
    ['ifs', `${repeat('if (x) ')};`],
    ['else ifs', `${repeat('if (x) {} else ')};`],
    ['classes', `x = ${repeat('class extends ')}b ${repeat('{}')}`],
    ['type arguments', `type A = ${repeat('a<')}a${repeat('>')}`],
    ['type operators', `type A = ${repeat('keyof ')}a`],
    ['brackets behind comments that close them', repeat('[ /*]*/ ')],
    ['brackets behind strings that close them', repeat('[ "]", ')],
    ['brackets behind a regular expression with a quote', `if (x) /"/; [${repeat('[')} "`],
    ['brackets inside what looks like a regular expression', `a++ /${repeat('[', ']')}/ 1`],
    ['brackets after a block and a slash', `{} /"/; ${repeat('[', ']')} "`],
    ['brackets after a non-null assertion', `a! /${repeat('[', ']')}/ 1`],
  ])('is refused: %s', (_, text) => {
    verifies('R9')
    expect(isShallowScript(text)).toBe(false)
    expect(parseScript('x.ts', text).fault?.message).toContain(`${maxScriptDepth} levels`)
  })

  it('is refused and never parsed, so that the process lives on', () => {
    verifies('R9')
    for (const path of ['x.js', 'x.ts', 'x.mjs', 'x.cjs'])
      expect(parseScript(path, `export default ${repeat('[')}`).result).toBeNull()
  })
})

describe('an ordinary text', () => {
  const functions = Array.from(
    { length: 800 },
    (_, i) =>
      `export function f${i}(a, b = { c: [1, 2] }) {\n  if (a > ${i}) return a ? b : /["'(]/.test(a) ? \`\${a} (\` : a / 2\n  else if (b) return !/\\(/.test(b) && [b].map((x) => /"/.test(x))\n  return (a) / 3\n}\nconst v${i} = a => ({ b: a })`,
  )

  it('is shallow however long it is, with or without semicolons', () => {
    expect(scriptDepth(functions.join('\n'))).toBeLessThan(60)
    expect(scriptDepth(functions.join(';\n'))).toBeLessThan(60)
    expect(parseScript('x.ts', functions.join('\n')).fault).toBeNull()
  })

  it('may return and await outside functions', () => {
    expect(parseScript('x.js', 'return 1').fault).toBeNull()
    expect(parseScript('x.js', 'await 1').fault).toBeNull()
    expect(parseScript('x.mjs', 'return 1').fault).not.toBeNull()
  })
})
