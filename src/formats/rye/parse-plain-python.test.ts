import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { parsePlainPython } from './parse-plain-python.ts'
import type { PythonNode } from './python-node.ts'
import { scanPython } from './python-scan.ts'
import { skeletonOf } from './python-skeleton.ts'
import { grammarTree } from './python-tree.ts'

/** True when the plain parser answered; its answer must then be the grammar's. */
function agrees(text: string): boolean {
  const scan = scanPython(text)
  const tree = scan.fault ? null : parsePlainPython(text, scan.lines)
  if (!tree) return false
  const { script, errors } = grammarTree(skeletonOf(text, scan))
  expect(errors).toEqual([])
  expect(tree.children.map(drawn)).toEqual(script.children.map(drawn))
  return true
}

const blocks = /^(FunctionDefinition|ClassDefinition|DecoratedStatement|IfStatement|TryStatement)$/

/** A tree as text, without what the plain parser leaves out: bodies, and the parts of imports, strings and operators. */
function drawn({ name, from, to, children }: PythonNode): string {
  const isOpaque = /^(ImportStatement|String|ArithOp)$/.test(name)
  const parts = isOpaque ? [] : children.filter((part) => part.name !== 'Body')
  return `${name} ${from}-${blocks.test(name) ? '' : to} (${parts.map(drawn).join(' ')})`
}

/** Mostly one of the plain ones. */
function mostly<T>(plain: readonly T[], odd: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...plain) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
}

/** Written in one line, with bars between them. */
function of(choices: string): string[] {
  return choices.split(' ¦ ')
}

/** Fills `@` and `&` of a shape, and puts blanks before some of its signs. */
function filled(shape: string, left: string, right: string, gaps: readonly string[]): string {
  let n = 0
  return shape.replace(/[@&,:=()[\]{}|+]/g, (sign) => {
    const value = sign === '@' ? left : sign === '&' ? right : sign
    return `${gaps[n++ % gaps.length] ?? ''}${value}`
  })
}

const name = mostly(of(`a ¦ b1 ¦ _x ¦ __version__ ¦ Optional ¦ json ¦ Nonesuch ¦ r ¦ f ¦ import_ ¦ If`), [
  ...of(`if ¦ None ¦ print ¦ match ¦ type ¦ lambda ¦ é ¦ yield ¦ async ¦ x y ¦ 1a ¦ True ¦ exec ¦ x.type`),
])
const literal = mostly(
  [
    ...of(`1 ¦ 0 ¦ -2 ¦ 1.5 ¦ 1e5 ¦ 0x1F ¦ - 3 ¦ 2E-7 ¦ "" ¦ '' ¦ "a" ¦ 'it\\'s' ¦ """x\ny"""`),
    ...of(`'''a'b''' ¦ "\\\n" ¦ "#[" ¦ "a" "b" ¦ "a"'b' ¦ "\\x4" ¦ "😀é" ¦ "\0" ¦ """\\"""" ¦ """"""`),
    ...of(`True ¦ None ¦ a, b ¦ r"\\d" ¦ [] ¦ {} ¦ () ¦ "\\" ¦ "\\\\" ¦ [\n] ¦ ( ) ¦ { # }\n}`),
  ],
  [
    ...of(`1_0 ¦ 1. ¦ .5 ¦ 1j ¦ --1 ¦ 0b1 ¦ 01 ¦ +1 ¦ 0x ¦ 1e ¦ 1if a else 2 ¦ "\\N{DASH}"`),
    ...of(`"\\N{a\\"b}" ¦ b"x" ¦ f"x" ¦ f"{a}" ¦ u"x" ¦ """"a""" ¦ ... ¦ *a ¦ **a ¦ not a ¦ a == b ¦ x := 1`),
  ],
)
const gaps = fc.array(mostly(['', '', '', '', ' ', '  '], ['\n ', ' # c [\n', '\t', ' \\\n', '\f']), {
  minLength: 1,
  maxLength: 6,
})
const { expression } = fc.letrec<{ expression: string; compound: string }>((tie) => ({
  expression: fc.oneof({ maxDepth: 4 }, literal, name, tie('compound'), tie('compound')),
  compound: fc
    .tuple(
      mostly(
        [
          ...of(`[@, &] ¦ [@] ¦ (@) ¦ (@,) ¦ (@, &) ¦ {@: &} ¦ {@: &, } ¦ {**@} ¦ {@} ¦ {@, &, } ¦ @ * &`),
          ...of(`@ - & + a * b | c ¦ {"a": @, "b": &} ¦ (@ + &) | a ¦ {@, &} ¦ @ - & ¦ @.a ¦ @[&] ¦ @[&,]`),
          ...of(`@[@, &] ¦ @(&) ¦ a(@, b=&) ¦ a(b=@,) ¦ a(*@, **&) ¦ @ | & ¦ @ + & ¦ "a".b(@)`),
        ],
        [
          ...of(`[*@] ¦ {*@} ¦ (*@,) ¦ @ ** & ¦ [@ for a in &] ¦ lambda: @ ¦ @[1:2] ¦ -@ ¦ (,) ¦ [@,, &]`),
          ...of(`[,] ¦ {,} ¦ a(,) ¦ {@: &: @} ¦ @[] ¦ a(@=&) ¦ a("b"=@) ¦ @ if a else & ¦ @ || & ¦ @ @`),
        ],
      ),
      tie('expression'),
      tie('expression'),
      gaps,
    )
    .map(([shape, left, right, blanks]) => filled(shape, left, right, blanks)),
}))

const parameters = fc
  .array(
    fc
      .tuple(
        mostly(of(`@ ¦ @: & ¦ @=& ¦ @: & = & ¦ * ¦ *@ ¦ **@ ¦ / ¦ *@: &`), ['*@=1', '', '**', '(@)']),
        name,
        expression,
      )
      .map(([shape, named, value]) => filled(shape, named, value, [''])),
    { maxLength: 4 },
  )
  .chain((list) => mostly([list.join(', ')], [`${list.join(', ')},`, `\n${list.join(' # c\n,')}\n`]))
const body = mostly(
  [
    ...of(`\n    pass ¦ \n  x = "]"\n\n  # c\n  y = 1 ¦ \n# low\n\tpass ¦  # c\n    return {\n1}`),
    ...of(`\n  0\n # c ¦ \n  a\n `),
  ],
  [' pass', '', '\n', '\n  "'],
)
const statement = fc.oneof(
  fc
    .tuple(
      mostly(of(`@ = & ¦ @ = & ¦ @: & = & ¦ @ = b = & ¦ @: & ¦ & ¦ & = & ¦ @=&`), [
        '@ += &',
        '@ = &;',
        '@ == &',
      ]),
      name,
      expression,
    )
    .map(([shape, left, right]) => filled(shape, left, right, [''])),
  fc
    .tuple(
      mostly(['def', 'async def', 'async  def'], ['async', 'def def']),
      name,
      parameters,
      expression,
      body,
      fc.boolean(),
    )
    .map(
      ([kind, named, list, type, inside, isTyped]) =>
        `${kind} ${named}(${list})${isTyped ? ` -> ${type}` : ''}:${inside}`,
    ),
  fc
    .tuple(
      mostly(
        ['class @(&):', 'class @:', '@a.b(&)\nclass @ :', '@a\n# c\n@b()\nasync def @():'],
        ['class:', 'class @', '@a'],
      ),
      name,
      expression,
      body,
    )
    .map(([shape, named, value, inside]) => shape.replace(/(?<= )@/, named).replace('&', value) + inside),
  fc
    .tuple(
      mostly(
        [
          ...of(`import @ ¦ from . import @ ¦ from .@ import * ¦ from ... import @ as b`),
          ...of(`from..a.b import (@) ¦ from .import @ ¦ import @.b as c, @ ¦ from @ import c`),
          ...of(`from @.c import (@, a as b,) ¦ from a import (\n  @, # c\n  c\n)`),
        ],
        ['import @,', 'from a import (@', 'import (@, b)', 'from a import @,', 'from a import b.@'],
      ),
      name,
    )
    .map(([shape, named]) => shape.replaceAll('@', named)),
  mostly(
    [
      ...of(`if __name__ == "__main__":\n    main() ¦ if a:\n  x = 1 ¦ """Doc."""`),
      ...of(`if a:\n  b\nelse:\n  c ¦ try:\n  import x\nexcept E:\n  x = None ¦ # comment`),
      ...of(`try:\n  a\nexcept:\n  b\nelse:\n  c\nfinally:\n  d ¦ try:\n  a\nexcept A as b: # c\n  b`),
      ...of(`if a:\n  b\nelif c == 1:\n  c\nelse:\n  d ¦ else:\n  a ¦ try:\n  a ¦ a, b = 1, 2 ¦ a, = b`),
      ...of(`a, b ¦ a, ¦  ¦    # c ¦   ¦ x`),
    ],
    [
      ...of(`if a == b: c ¦ pass ¦ del a ¦ a; b ¦ \t ¦ \f ¦ for a in b:\n  c ¦ with a as b:\n  c ¦ x:`),
      ...of(`print "a" ¦ print(a) ¦ type X = int ¦ match x:\n  case 1:\n    2`),
    ],
  ),
)
const source = fc
  .array(fc.tuple(statement, mostly(['', '', '  ', ' # c'], [';', '\t', ' \\'])), {
    minLength: 1,
    maxLength: 5,
  })
  .map((lines) => lines.map(([text, end]) => text + end).join('\n'))
  .chain((text) => fc.constantFrom(text, `${text}\n`, `${text}\n\n# end`))

const splinter = fc.constantFrom(
  ...of(`" ¦ ' ¦ """ ¦ \\ ¦ ( ¦ ) ¦ [ ¦ ] ¦ { ¦ } ¦ # ¦ \n ¦ \r\n ¦ \r ¦ \f ¦ \t ¦ \0 ¦   ¦ , ¦ : ¦ = ¦ .`),
  ...of(
    `0 ¦ a ¦ \uFEFF ¦ \u00A0 ¦ \u2028 ¦ é ¦ -> ¦ @ ¦ ; ¦ | ¦ + ¦ - ¦ / ¦ * ¦ == ¦ := ¦ \n   ¦ if  ¦ r ¦ `,
  ),
)
const spoilt = fc
  .tuple(source, fc.array(fc.tuple(fc.nat(400), fc.nat(3), splinter), { minLength: 1, maxLength: 3 }))
  .map(([text, cuts]) =>
    cuts.reduce((before, [offset, drop, put]) => {
      const at = offset % (before.length + 1)
      return before.slice(0, at) + put + before.slice(at + drop)
    }, text),
  )
  // What is read from a file has no half characters.
  .map((text) => Buffer.from(text).toString())

it.each([
  ['whatever the source', source, 4],
  ['whatever is broken in the source', spoilt, 20],
])('the plain parser gives the tree of the grammar, or none, %s', (_, sources, oneIn) => {
  verifies('R9', 'R10')
  const numRuns = 3_000
  let answered = 0
  fc.assert(
    fc.property(sources, (text) => {
      if (agrees(text)) answered++
    }),
    { numRuns },
  )
  expect(answered).toBeGreaterThan(numRuns / oneIn)
})

it('the plain parser answers for most Python files that ship with Toolcrib', () => {
  const root = join(import.meta.dirname, '../../..')
  const files = ['system', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.py'))
      .map((file) => join(root, folder, file)),
  )
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => agrees(readFileSync(file, 'utf8'))).length).toBeGreaterThan(files.length / 2)
})

it('the plain parser nests as deep as the grammar', () => {
  const deep = `${'(1, {"a": '.repeat(90)}2${'})'.repeat(90)}`
  expect(agrees(`x = ${'['.repeat(200)}${']'.repeat(200)}\ny = ${deep}\n`)).toBe(true)
})

it.each(['a | ', 'a + ', 'a.', 'a(1).b | ', 'a.b + c | '])(
  'the plain parser gives up on %j without end',
  (link) => {
    for (const times of [10, 80, 200, 2_000, 20_000]) agrees(`x = ${link.padEnd(50).repeat(times)}a\n`)
    expect(agrees(`x = ${link.repeat(20)}a\n`)).toBe(true)
    expect(agrees(`x = ${link.repeat(20_000)}a\n`)).toBe(false)
  },
)
