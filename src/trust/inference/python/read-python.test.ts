import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/helpers/verifies.ts'
import { inferCode } from '../infer-code.ts'
import { readPython } from './read-python.ts'

const found = (code: string) =>
  inferCode(code, 'tool.py').map(
    ({ capability, detail, certainty, line }) =>
      `${capability}${detail === undefined ? '' : `:${detail}`} ${certainty} ${line}`,
  )
const starts = (line: number) => `shell.execute:id exact ${line}`

describe('code in places where one does not look for it', () => {
  it.each([
    ['a default', 'import os\ndef f(x=os.system("id")): pass', [starts(2)]],
    ['an annotation', 'import os\nx: os.system("id") = 1', [starts(2)]],
    ['what a function gives back', 'import os\ndef f() -> os.system("id"): pass', [starts(2)]],
    ['the layout of a format string', `import os\nprint(f"{1:{os.system('id')}}")`, [starts(2)]],
    ['quotes inside quotes of Python 3.12', 'import os\nprint(f"{os.system("id")}")', [starts(2)]],
    ['a template string of Python 3.14', `import os\nt"{os.system('id')}"`, [starts(2)]],
    ['a guard', 'import os\nmatch x:\n  case [1, *_] if os.system("id"):\n    pass', [starts(3)]],
    ['a filter', 'import os\n[x for x in y if os.system("id")]', [starts(2)]],
    ['the base of a class', 'import os\nclass A(B, x=os.system("id")): pass', [starts(2)]],
    ['letters that Python takes for others', 'import 𝐨𝐬\n𝐨𝐬.system("id")', [starts(2)]],
    ['a lambda', 'import os\nf = lambda x=os.system("id"): 1', [starts(2)]],
    ['arguments in a list', 'import os\nos.system(*["id"])', [starts(2)]],
    ['a line that goes on', 'import os\nif a and \\\n   b: os.system("id")', [starts(3)]],
    ['one line', 'import os; os.system("id"); pass', [starts(1)]],
    [
      'decorators that run what they get',
      '@exec\n@lambda _: "import os; os.system(chr(105) + chr(100))"\nclass A: pass',
      ['code.dynamic exact 1', starts(1)],
    ],
    ['a statement of Python 2', `exec "import os; os.system('id')"`, ['code.dynamic exact 1', starts(1)]],
  ])('%s', (_, code, expected) => {
    verifies('L1')
    expect(found(code)).toEqual(expected)
  })
})

describe('names of variables that are asked for', () => {
  it.each([
    ['by presence', 'import os\nif "TOKEN" in os.environ: pass', ['env.read:TOKEN exact 2']],
    ['by absence', 'import os\nif "TOKEN" not in os.environ: pass', ['env.read:TOKEN exact 2']],
  ])('%s', (_, code, expected) => {
    verifies('L1')
    expect(found(code)).toEqual(expected)
  })
})

describe('bad input', () => {
  const bad = 'code.unknown:syntax that is not known unknown 2'

  it('syntax that is not known is told, and the rest is read', () => {
    verifies('L1')
    const code = 'import os\nx = a ?? b\nunless x:\n  os.system("id")\nos.remove("q")\n'
    expect(found(code)).toEqual([bad, starts(4), 'fs.write:q exact 5'])
  })

  it.each([
    ['brackets', `${'('.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['signs', `${'-'.repeat(5_000)}1`],
    ['words', `${'not '.repeat(5_000)}1`],
    ['functions', `${'lambda: '.repeat(5_000)}1`],
    ['parts', `${'a['.repeat(5_000)}1${']'.repeat(5_000)}`],
    ['calls', `a${'.b()'.repeat(5_000)}`],
  ])('thousands of %s inside each other are told, and the rest is read', (_, value) => {
    verifies('L1')
    expect(found(`import os\nx = ${value}\nos.system("id")\n`)).toEqual([bad, starts(3)])
  })

  it.each([
    ['numbers', Array(10_000).fill('1').join(' + ')],
    ['texts', Array(3_000).fill('"a"').join(' + ')],
    ['choices', `${'a if b else '.repeat(5_000)}1`],
  ])('a chain of thousands of %s is read', (_, value) => {
    verifies('L1')
    expect(found(`import os\nx = ${value}\nos.system("id")\n`)).toEqual([starts(3)])
  })

  it('many names with two values each cost little', () => {
    verifies('L4')
    const names = Array.from({ length: 40 }, (_, index) => `x${index}`)
    const code = `import os\n${names.map((name) => `${name} = "a" if z else "b"`).join('\n')}\nos.system(${names.join(' + ')})\n`
    expect(found(code).length).toBeLessThan(20)
  })

  it('any text is read to its end', () => {
    verifies('L1')
    const pieces = fc.constantFrom(
      ...'import os|from . import x|os.system|(|)|[|]|{|}|:|,|=|:=|"a"|f"{|}"|\'|"""|def f|class A|lambda|if|else|for|in|not|*|**|@|\n|\n  |\n\t|\\\n|match x|case|->|1|0x|é|€|\u0000|#|;|yield|await|async|print|exec|type X'.split(
        '|',
      ),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const { steps, fault } = readPython(parts.join(' '))
        expect(Array.isArray(steps)).toBe(true)
        expect(fault === null || fault.at >= 0).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})
