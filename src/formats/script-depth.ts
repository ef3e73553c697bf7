// How deeply the constructs of a JavaScript or TypeScript text nest, judged before it is given to the parser: the
// parser recurses natively, and a file of eight thousand open brackets would end the whole process. Where the text
// can be read in two ways the estimate is the higher one.

export const maxScriptDepth = 1_000
/** Tokens that may follow each other as one chain (`a + b + c`, `a.b().c`, `!!a`): its tree is as deep as it is long. */
const maxChainTokens = 20_000

const nestingWords = new Set(
  'await class delete do else extends for if keyof infer new readonly typeof unique void while with yield in of'.split(
    ' ',
  ),
)
/** Reserved words that only ever begin a statement, so nothing before them on the same level still nests. */
const statementWords = new Set('break case const continue debugger export return throw var'.split(' '))
const regexWords = new Set('case delete do else in instanceof new return throw typeof void'.split(' '))
const unclearWords = new Set(['await', 'of', 'yield', 'let', 'static', 'async', 'get', 'set'])
const word = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
/** Words after `}` that carry on what it belongs to. */
const goesOn =
  /^\s*(?:(?:else|while|catch|finally|extends|implements|in|instanceof|of|as|satisfies|is|from)\b|[^\p{ID_Start}\s};])/u
const conditionWords = new Set(['if', 'while', 'for', 'with'])

/** What nests; a text has at least as many of them as levels. */
const nesting = new RegExp(`[([{<?=:*@]|\\b(?:${[...nestingWords].join('|')})\\b`, 'g')

interface Level {
  readonly opener: string
  /** Word before an opening parenthesis. */
  readonly before: string
  /** Constructs on this level that nest without brackets: `a ? b :`, `=>`, `if (x)`. */
  chained: number
  /** Tokens since the last place at which a chain ends for certain. */
  tokens: number
}

/** True when a parser with a native stack can take the text without danger. */
export function isShallowScript(text: string): boolean {
  // Nothing nests deeper than there are things to nest, and no chain is longer than the text.
  if (text.length <= maxChainTokens) {
    nesting.lastIndex = 0
    let levels = 1
    while (levels <= maxScriptDepth && nesting.test(text)) levels++
    if (levels <= maxScriptDepth) return true
  }
  return scriptDepth(text) <= maxScriptDepth
}

/** An upper estimate of the nesting; stops counting soon after the limit. */
export function scriptDepth(text: string): number {
  const levels: Level[] = [{ opener: '', before: '', chained: 0, tokens: 0 }]
  let deepest = 0
  let sum = 0
  let tokens = 0
  /** Once a place could be read in two ways, brackets inside strings and comments count as open ones. */
  let isUnclear = false
  let last = ''
  let beforeLast = ''
  let at = 0

  function note(token: string): void {
    beforeLast = last
    last = token
    levels.at(-1)!.tokens++
    if (++tokens > maxChainTokens) deepest = Number.POSITIVE_INFINITY
  }
  /** Elements of a list stand beside each other. */
  function separate(): void {
    if (isUnclear) return
    const level = levels.at(-1)!
    tokens -= level.tokens
    level.tokens = 0
  }
  function rise(): void {
    if (levels.length + sum > deepest) deepest = levels.length + sum
  }
  function chain(): void {
    levels.at(-1)!.chained++
    sum++
    rise()
  }
  function settle(): void {
    if (isUnclear) return
    const level = levels.at(-1)!
    sum -= level.chained
    level.chained = 0
    separate()
  }
  function skip(to: number): void {
    if (isUnclear) {
      for (const _ of text.slice(at, to).matchAll(/[([{<?=]/g)) chain()
    }
    at = to
  }

  while (at < text.length && deepest <= 4 * maxScriptDepth) {
    const char = text[at]!
    if (char === '/' && text[at + 1] === '/') skip(lineEnd(text, at))
    else if (char === '/' && text[at + 1] === '*') {
      const end = text.indexOf('*/', at + 2)
      skip(end === -1 ? text.length : end + 2)
    } else if (char === '#' && at === 0 && text[1] === '!') skip(lineEnd(text, at))
    else if (char === '"' || char === "'") {
      skip(endOfQuoted(text, at))
      note('"')
    } else if (char === '`' || (char === '}' && levels.at(-1)!.opener === '${')) {
      if (char === '}') close()
      template()
    } else if (char === '(' || char === '[' || char === '{') {
      open(char)
    } else if (char === ')' || char === ']' || char === '}') {
      const closed = close()
      if (char === '}' && !goesOn.test(text.slice(at + 1, at + 200))) settle()
      at++
      note(char === ')' && closed ? afterParenthesis(closed.before) : char)
    } else if (char === ';') {
      at++
      if (!goesOnWithElse(text, at)) settle()
      note(char)
    } else if (char === ',') {
      separate()
      at++
      note(char)
    } else if (char === '/') {
      slash()
    } else if (char === '?' || char === '<' || char === '=' || char === ':' || char === '*' || char === '@') {
      if (char === '<' && text.startsWith('<!--', at)) isUnclear = true
      if (!(char === '=' && (text[at + 1] === '=' || '=!<>'.includes(text[at - 1] ?? ' ')))) chain()
      at++
      note(char)
    } else if (char === '>' && text[at - 1] === '=') {
      at++
      note('=>')
    } else if (/[\s]/.test(char)) {
      at++
    } else {
      word.lastIndex = at
      const name = word.exec(text)?.[0]
      if (name) {
        const isProperty = last === '.' || last === '#'
        if (!isProperty) {
          if (statementWords.has(name) && last !== 'as' && last !== '<') settle()
          if (nestingWords.has(name)) chain()
        }
        at += name.length
        note(isProperty ? 'name' : name)
      } else {
        at++
        note(char)
      }
    }
  }
  return deepest

  function open(opener: string): void {
    levels.push({ opener, before: opener === '(' ? last : '', chained: 0, tokens: 0 })
    rise()
    at += opener.length
    note(opener)
  }

  function close(): Level | undefined {
    if (levels.length === 1 || isUnclear) return undefined
    const level = levels.pop()!
    sum -= level.chained
    tokens -= level.tokens
    return level
  }

  function template(): void {
    const end = endOfTemplate(text, at + 1)
    if (isUnclear) skip(end.at)
    at = end.at
    if (end.opens) {
      levels.push({ opener: '${', before: '', chained: 0, tokens: 0 })
      rise()
      note('${')
    } else note('"')
  }

  function slash(): void {
    const isTwice = (last === '+' || last === '-') && beforeLast === last
    const isDoubtful = last === '}' || last === '.' || last === '>' || isTwice || unclearWords.has(last)
    if (isDoubtful || (last === '!' && isOperand(beforeLast, ''))) isUnclear = true
    const end = isOperand(last, beforeLast) || last === '}' ? -1 : endOfRegex(text, at)
    if (end === -1) {
      if (!isOperand(last, beforeLast)) isUnclear = true
      at++
      note('/')
    } else {
      skip(end)
      note('"')
    }
  }
}

/** What a closing parenthesis counts as: after a condition a regular expression may follow. */
function afterParenthesis(before: string): string {
  if (before === 'await') return '}'
  return conditionWords.has(before) ? '?' : ')'
}

/** True when a `/` after this token divides. */
function isOperand(token: string, before: string): boolean {
  if (token === ')' || token === ']' || token === '"') return true
  if (!/^[\p{ID_Start}$_\d]/u.test(token)) return false
  return !regexWords.has(token) || before === '.'
}

/** What follows is `else`, whatever blanks and comments stand before it. */
function goesOnWithElse(text: string, from: number): boolean {
  for (let at = from; at < text.length; ) {
    if (text.startsWith('//', at)) at = lineEnd(text, at)
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end === -1) return false
      at = end + 2
    } else if (/\s/.test(text[at]!)) at++
    else return text.startsWith('else', at)
  }
  return false
}

function lineEnd(text: string, at: number): number {
  for (let i = at; i < text.length; i++) if (/[\n\r\u2028\u2029]/.test(text[i]!)) return i
  return text.length
}

function endOfQuoted(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\') i++
    else if (char === text[at]) return i + 1
    else if (char === '\n' || char === '\r') return i
  }
  return text.length
}

function endOfTemplate(text: string, from: number): { at: number; opens: boolean } {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '`') return { at: i + 1, opens: false }
    else if (text[i] === '$' && text[i + 1] === '{') return { at: i + 2, opens: true }
  }
  return { at: text.length, opens: false }
}

function endOfRegex(text: string, at: number): number {
  let inClass = false
  for (let i = at + 1; i < text.length; i++) {
    const char = text[i]!
    if (/[\n\r\u2028\u2029]/.test(char)) return -1
    if (char === '\\') i++
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) return i + 1
  }
  return -1
}
