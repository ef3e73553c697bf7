// The syntax tree of a Python file's module level. Most tool files are plain enough for the small parser; one that
// it does not know every part of goes to the full grammar, whose tree is the same.
import { lazyModule } from '../../tool/lazy-module.ts'
import { parsePlainPython } from './parse-plain-python.ts'
import { type PythonNode, pythonNode } from './python-node.ts'
import type { PythonScan } from './python-scan.ts'
import { skeletonOf } from './python-skeleton.ts'

const lezer = lazyModule<typeof import('@lezer/python')>('@lezer/python')

type Parser = typeof import('@lezer/python')['parser']
/** How often in a row the parser has continued one node; it is no part of its published types. */
type Parsing = ReturnType<Parser['startParse']> & {
  bigReductionCount?: number
  /** What is open where it stands, three entries a level. */
  readonly stacks?: readonly { readonly stack: readonly unknown[] }[]
}

/** Python itself takes fewer. The parser copies what is open at every doubt, so depth costs its square. */
const maxLevels = 1_000

export interface PythonTree {
  /** Statement by statement, without comments. */
  readonly script: PythonNode
  /** The places the grammar stumbled over, in the order of the file. */
  readonly errors: readonly PythonNode[]
}

export function pythonTree(text: string, scan: PythonScan): PythonTree {
  const plain = scan.fault ? null : parsePlainPython(text, scan.lines)
  return plain ? { script: plain, errors: [] } : grammarTree(skeletonOf(text, scan))
}

/** The tree of the full grammar. */
export function grammarTree(skeleton: string): PythonTree {
  const errors: PythonNode[] = []
  const open: PythonNode[][] = [[]]
  // Not recursive: a sum of ten thousand terms is ten thousand levels deep.
  parsed(withWholeNumbers(skeleton))
    .cursor()
    .iterate(
      ({ type, from, to }) => {
        if (type.name === 'Comment') return false
        const children: PythonNode[] = []
        const node = pythonNode(type.name, from, to, children)
        open.at(-1)!.push(node)
        if (type.isError) errors.push(node)
        open.push(children)
        return true
      },
      () => {
        open.pop()
      },
    )
  return { script: open[0]![0]!, errors }
}

/** The grammar takes the dot of `20.` for the one of an attribute: a digit in its place makes the same tree. */
function withWholeNumbers(text: string): string {
  return text.replace(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/g, (_, digits) => `${digits}0`)
}

/** What follows thousands of open levels is not parsed, and told as a fault. Lezer breaks off what was continued three hundred times, a list of statements too, for the sake of readers that recurse. */
function parsed(skeleton: string): ReturnType<Parser['parse']> {
  const parse: Parsing = lezer().parser.startParse(skeleton)
  for (;;) {
    const tree = parse.advance()
    if (tree) return tree
    parse.bigReductionCount = 0
    if (parse.stacks?.some(({ stack }) => stack.length > 3 * maxLevels)) parse.stopAt(parse.parsedPos)
  }
}
