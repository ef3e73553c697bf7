// Every problem says what to do: the type of a Problem demands a hint, and a code that is reported without one has its
// own in the table. A code of the table that is always reported with a hint of its own would be a hint nobody sees.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { hintFor, ownHints } from './problem-hints.ts'

const source = fileURLToPath(new URL('..', import.meta.url))

/** Where the hint stands among the arguments of the functions that report a code. */
const hintAt: { readonly [name: string]: number } = { addAt: 4, say: 2, error: 3, warning: 3 }
const reporters = new Set([...Object.keys(hintAt), 'add', 'report', '#report', 'makeProblem', 'hintFor'])

/** Codes that are reported without a word about what to do, as the sources write them. */
function codesWithoutHint(folder: string, isOfInterest: (text: string) => boolean = () => true): Set<string> {
  const files = readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
  const found = new Set<string>()
  for (const file of files.filter((each) => each.endsWith('.ts') && !/\.test\.ts$|fixture/.test(each))) {
    const text = readFileSync(join(source, folder, file), 'utf8')
    if (!isOfInterest(text)) continue
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) && isReportedBare(node)) found.add(node.text)
      ts.forEachChild(node, visit)
    }
    visit(tree)
  }
  return found
}

function isReportedBare(node: ts.StringLiteral): boolean {
  let holder: ts.Node = node.parent
  while (ts.isConditionalExpression(holder) || ts.isParenthesizedExpression(holder)) holder = holder.parent
  if (ts.isPropertyAssignment(holder) && holder.name.getText() === 'code')
    return isHandedOn(holder.parent) || !hasHint(holder.parent, true)
  if (!ts.isCallExpression(holder) || !holder.arguments.some((each) => each.pos <= node.pos)) return false
  const callee = holder.expression
  const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText()
  if (!reporters.has(name)) return false
  if (holder.arguments.length > (hintAt[name] ?? Number.POSITIVE_INFINITY)) return false
  return !holder.arguments.some((each) => hasHint(each, false))
}

/** `checkValue(value, schema, { code, at, what })` words the message itself. */
function isHandedOn({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && parent.expression.getText() === 'checkValue'
}

/** Whether an object says what to do; one that is no problem at all has no message either. */
function hasHint(node: ts.Node, elseNoMessage: boolean): boolean {
  if (!ts.isObjectLiteralExpression(node)) return false
  const names = node.properties.map((each) => each.name?.getText())
  const hint = node.properties.find((each) => each.name?.getText() === 'hint')
  if (hint) return !/\bundefined$/.test(hint.getText()) // `near ? … : undefined` leaves it to the table.
  return elseNoMessage && !names.includes('message')
}

it.each([
  ['rye', /^[a-z]+(-[a-z]+)+$/, 5],
  ['tool-code', /^tc-/, 15],
  ['tools-json', /^[a-z]+(-[a-z]+)+$/, 8],
] as const)(
  'every code of %s that is reported without a hint has one in the table',
  (format, shape, least) => {
    const codes = [...codesWithoutHint(`formats/${format}`)].filter((code) => shape.test(code))
    expect(codes.length).toBeGreaterThanOrEqual(least)
    expect(codes.filter((code) => !(code in ownHints))).toEqual([])
    for (const code of codes) expect(hintFor(code)).toMatch(/^[A-Z].*[.}`]$/)
  },
)

it('every hint of the table is for a code that is somewhere reported without one', () => {
  const own = Object.keys(ownHints)
  const codes = codesWithoutHint('.', (text) => own.some((code) => text.includes(`'${code}'`)))
  expect(own.filter((code) => !codes.has(code))).toEqual([])
})

it.each(['schema-invalid', 'pattern-invalid', 'enum-empty', 'param-type-invalid'])(
  '%s, which every format reports, has a hint',
  (code) => expect(code in ownHints).toBe(true),
)
