// What the grammar is given of a Python file: its module level, with the valid Python that the grammar does not know
// written in words that it does. Every offset stays, so names and values are read from the file itself.
import type { PythonScan } from './python-scan.ts'
import { endOfString } from './python-strings.ts'

/** The text with each indented block reduced to `0` and the heads of `match` to `if 0:`, all offsets kept. */
export function skeletonOf(text: string, { lines, bodies, end }: PythonScan): string {
  const pieces: string[] = []
  let copied = 0
  const heads = lines.filter((line) => line.opensBlock && isMatchHead(text, line.from))
  for (const part of [...bodies, ...heads].sort((a, b) => a.from - b.from)) {
    const { from, to } = part
    const isHead = 'opensBlock' in part
    const stand = isHead ? 'if 0:' : '0'
    const rest = text.slice(from + stand.length, to)
    // A head in brackets may have several lines; without them it is one.
    pieces.push(text.slice(copied, from), stand, isHead ? blank(rest) : rest.replace(/[^\n]/g, ' '))
    copied = to
  }
  // What follows a fault is not given to the grammar: thousands of open brackets would keep it busy for seconds.
  pieces.push(text.slice(copied, end))
  const skeleton = new Rewriting(pieces.join('')).done()
  // The grammar wants a line end after blanks, where Python itself adds one.
  return /[ \t]$/.test(skeleton) ? `${skeleton}\n` : skeleton
}

const matchHead = /match\b/y

/** `match` says nothing of metadata, and the grammar does not know all that Python allows there. */
function isMatchHead(text: string, from: number): boolean {
  matchHead.lastIndex = from
  return matchHead.test(text)
}

/** Only the last line end stays. */
function blank(text: string): string {
  return text.replace(/[^\n]|\n(?!$)/g, ' ')
}

const token = new RegExp(
  [
    '(?<blank>[ \\t\\f\\r]+|\\\\\\r?\\n|#[^\\n]*)',
    '(?<word>[A-Za-z_\\u0080-\\uffff][\\w\\u0080-\\uffff]*)',
    '(?<number>0[xXoObB][\\w]+|(?:\\d[\\d_]*(?<point>\\.[\\d_]*)?|\\.\\d[\\d_]*)(?:[eE][+-]?\\d[\\d_]*)?[jJ]?)',
    '(?<sign>\\*\\*=?|[-+*/%&|^@=<>!:]=|\\/\\/=?|[^])',
  ].join('|'),
  'y',
)
/** Words behind which `[` opens a list. */
const operators = new Set(
  'and assert await del elif else for if import in is lambda not or raise return while yield'.split(' '),
)

/** Words that the grammar takes for the start of a statement where they are but names. */
function isSoftKeyword(word: string): boolean {
  return word === 'print' || word === 'exec' || word === 'type' || word === 'match' || word === 'case'
}

interface Bracket {
  readonly from: number
  readonly isSubscript: boolean
  readonly isTypeList: boolean
  inLambda: boolean
  /** Behind `for`, up to the `in` of a comprehension. */
  inLoopHead: boolean
}

/** One pass over the tokens, in which each construct that the grammar stumbles over is replaced at its place. */
class Rewriting {
  readonly #text: string
  readonly #changes: { readonly from: number; readonly to: number; readonly stand: string }[] = []
  #at = 0
  /** The token before, blanks not counted; empty where a logical line starts. */
  #before = ''
  #beforeAt = 0
  #twoBefore = ''
  readonly #open: Bracket[] = [
    { from: 0, isSubscript: false, isTypeList: false, inLambda: false, inLoopHead: false },
  ]
  #line = 0
  /** The tokens of a decorator outside of brackets, words as `w`. */
  #decorator: string | null = null
  #isWith = false

  constructor(text: string) {
    this.#text = text
  }

  done(): string {
    while (this.#at < this.#text.length) this.#take()
    this.#endLine(this.#text.length)
    let done = ''
    let copied = 0
    for (const { from, to, stand } of this.#changes) {
      done += this.#text.slice(copied, from) + stand
      copied = to
    }
    return done + this.#text.slice(copied)
  }

  /** `stand` takes the place of a part of the text, with all that was changed in it before. */
  #put(from: number, to: number, stand: string): void {
    while (this.#changes.at(-1) && this.#changes.at(-1)!.from >= from) this.#changes.pop()
    this.#changes.push({ from, to, stand })
  }

  #take(): void {
    const from = this.#at
    token.lastIndex = from
    const found = token.exec(this.#text)!
    const { blank: isBlank, word, number, point } = found.groups!
    this.#at += found[0].length
    if (isBlank) return this.#takeBlank(from, isBlank)
    if (this.#before === '') this.#line = from
    if (number) {
      if (point === '.') this.#putDigit(from + number.indexOf('.'))
    } else if (word) this.#takeWord(from, word)
    else if (found[0] === '"' || found[0] === "'") {
      const end = endOfString(this.#text, from)
      this.#at = end === -1 ? this.#text.length : end
      if (/^[ft]r?$|^r[ft]$/i.test(this.#before)) this.#takeFormat(from)
    } else if (found[0] === '\n') return this.#takeLineEnd(from)
    else this.#takeSign(from, found[0])
    const name = number ? '0' : found[0]
    if (this.#decorator !== null && this.#open.length === 1) this.#decorator += word ? 'w' : name
    this.#twoBefore = this.#before
    this.#before = name
    this.#beforeAt = from
  }

  /** The grammar wants a digit behind a point. */
  #putDigit(point: number): void {
    this.#put(point, point + 1, '0')
  }

  #takeFormat(from: number): void {
    const text = this.#text.slice(from, this.#at)
    for (const { index } of text.matchAll(/(?<=(?<![\w.])\d[\d_]*)\.(?![\w.])/g)) this.#putDigit(from + index)
  }

  /** A form feed is a blank that makes those before it count for nothing, and a line goes on behind a backslash. */
  #takeBlank(from: number, run: string): void {
    const last = run[0] === '#' ? -1 : run.search(/[\f\n][^\f\n]*$/)
    if (last === -1) return
    const startsLine = this.#before === '' && this.#open.length === 1
    this.#put(from, from + last + 1, (startsLine ? '\n' : ' ').repeat(last + 1))
  }

  #takeLineEnd(from: number): void {
    if (this.#open.length > 1) return
    this.#endLine(from)
    this.#before = ''
    this.#twoBefore = ''
    this.#isWith = false
    this.#open[0]!.inLambda = false
    this.#open[0]!.inLoopHead = false
  }

  /** The grammar knows no decorator but a dotted name and its arguments. */
  #endLine(to: number): void {
    if (this.#decorator !== null && !/^@w(\.w)*\)?$/.test(this.#decorator))
      this.#put(this.#line + 1, to, 'a'.padEnd(to - this.#line - 1))
    this.#decorator = null
  }

  #takeWord(from: number, word: string): void {
    const bracket = this.#open.at(-1)!
    const next = this.#text[this.#at]
    if (/^(?:t|tr|rt)$/i.test(word) && (next === '"' || next === "'"))
      this.#put(from, this.#at, word.replace(/t/i, 'f'))
    else if (word === 'lambda') bracket.inLambda = true
    else if (word === 'for') bracket.inLoopHead = true
    else if (word === 'in' && this.#open.length > 1) bracket.inLoopHead = false
    else if (word === 'with' && (this.#before === '' || (this.#before === 'async' && this.#twoBefore === '')))
      this.#isWith = true
    else if (isSoftKeyword(word) ? !this.#isTypeStatement() : word === 'yield' && this.#endsValue())
      this.#put(from, this.#at, 'x'.repeat(word.length))
  }

  #isTypeStatement(): boolean {
    return this.#before === '' && /^[ \t]+[^\W\d]\w*\s*[[=]/.test(this.#text.slice(this.#at, this.#at + 80))
  }

  /** Whether no value can start where the text stands. */
  #endsValue(): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 80)
    return (this.#open.length > 1 ? /^\s*([)\]},:;=]|$)/ : /^[ \t\f]*([)\]},:;=#\r\n]|$)/).test(rest)
  }

  #takeSign(from: number, sign: string): void {
    const bracket = this.#open.at(-1)!
    if (sign === '(' || sign === '[' || sign === '{') this.#openBracket(from, sign)
    else if (sign === ')' || sign === ']' || sign === '}') this.#closeBracket()
    else if (sign === '@' && this.#before === '' && this.#open.length === 1) this.#decorator = ''
    else if (sign === ':' && bracket.inLambda) this.#endLambda(bracket)
    else if (sign === ':' && this.#isWith && this.#open.length === 1) this.#endWith(from)
    else if (sign === '*' && this.#isLoneStar(bracket)) this.#put(from, from + 1, ' ')
    else if (sign === '/' && this.#before === ',' && bracket.inLambda) this.#put(from, from + 1, '_')
  }

  #endLambda(bracket: Bracket): void {
    bracket.inLambda = false
    if (this.#before === ',') this.#put(this.#beforeAt, this.#beforeAt + 1, ' ')
  }

  /** In a subscript, an annotation or the head of a loop the grammar knows no star. */
  #isLoneStar({ isSubscript, inLoopHead }: Bracket): boolean {
    if (this.#before === ',') return isSubscript || inLoopHead
    return /^(\[|:|for|in)$/.test(this.#before) && (this.#before !== '[' || isSubscript)
  }

  #openBracket(from: number, sign: string): void {
    const isBehindValue = /^[\w\u0080-\uffff)\]}"']/.test(this.#before) && !operators.has(this.#before)
    const isTypeList = /^(def|class|type)$/.test(this.#twoBefore) && isBehindValue
    this.#open.push({
      from,
      isSubscript: sign === '[' && isBehindValue,
      isTypeList: sign === '[' && isTypeList,
      inLambda: false,
      inLoopHead: false,
    })
  }

  #closeBracket(): void {
    if (this.#open.length === 1) return
    const { from, isTypeList } = this.#open.pop()!
    if (!isTypeList) return
    this.#put(from, this.#at, ' '.repeat(this.#at - from))
  }

  /** What `with` enters says nothing of metadata. */
  #endWith(colon: number): void {
    this.#put(this.#line, colon, 'if 0'.padEnd(colon - this.#line))
    this.#isWith = false
  }
}
