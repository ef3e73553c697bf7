// Where a Python string ends. A format string holds expressions, and since Python 3.12 those may hold line ends,
// comments and the quotes of the string itself.

/** CPython refuses more. */
const maxNested = 150

/** The offset after a string whose quote stands at `at`; -1 when it never ends. */
export function endOfString(text: string, at: number, nested = 0): number {
  const prefix = prefixBefore(text, at)
  const quote = text[at]!
  const mark = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote
  if (!/[ft]/i.test(prefix)) return endOfText(text, at + mark.length, mark)
  return nested === maxNested
    ? -1
    : endOfFormat(text, at + mark.length, { mark, isRaw: /r/i.test(prefix), nested })
}

/** The letters that say what kind of string starts at `at`. */
function prefixBefore(text: string, at: number): string {
  return /(?<![\w\u0080-\uffff])[a-z]{1,2}$/i.exec(text.slice(Math.max(0, at - 3), at))?.[0] ?? ''
}

function endOfText(text: string, from: number, mark: string): number {
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\') i += escapedLength(text, i)
    else if (char === mark[0] && text.startsWith(mark, i)) return i + mark.length
    else if (char === '\n' && mark.length === 1) return -1
  }
  return -1
}

function escapedLength(text: string, at: number): number {
  return text[at + 1] === '\r' && text[at + 2] === '\n' ? 2 : 1
}

function endOfFormat(
  text: string,
  from: number,
  { mark, isRaw, nested }: { readonly mark: string; readonly isRaw: boolean; readonly nested: number },
): number {
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\') i = afterBackslash(text, i, isRaw)
    else if (char === mark[0] && text.startsWith(mark, i)) return i + mark.length
    else if (char === '\n' && mark.length === 1) return -1
    else if (char === '{') {
      if (text[i + 1] === '{') i++
      else {
        i = endOfField(text, i + 1, { mark, isRaw, nested }) - 1
        if (i < 0) return -1
      }
    }
  }
  return -1
}

/** The last character that belongs to a backslash; a brace keeps its meaning behind one, unless a name is in it. */
function afterBackslash(text: string, at: number, isRaw: boolean): number {
  if (!isRaw && text.startsWith('N{', at + 1)) {
    const end = text.indexOf('}', at)
    return end === -1 ? text.length : end
  }
  return text[at + 1] === '{' || text[at + 1] === '}' ? at : at + escapedLength(text, at)
}

/** The offset after the brace that closes a replacement field; -1 when none does. */
export function endOfField(
  text: string,
  from: number,
  { mark, isRaw, nested }: { readonly mark: string; readonly isRaw: boolean; readonly nested: number },
): number {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '"' || char === "'") {
      i = endOfString(text, i, nested + 1) - 1
      if (i < 0) return -1
    } else if (char === '#') {
      const end = text.indexOf('\n', i)
      if (end === -1) return -1
      i = end
    } else if (char === '(' || char === '[' || char === '{') depth++
    else if (char === '}' && depth === 0) return i + 1
    else if (char === ')' || char === ']' || char === '}') depth--
    else if (char === ':' && depth === 0) return endOfLayout(text, i + 1, { mark, isRaw, nested: nested + 1 })
  }
  return -1
}

/** What follows the colon of a field: text, with fields of its own. */
function endOfLayout(
  text: string,
  from: number,
  { mark, isRaw, nested }: { readonly mark: string; readonly isRaw: boolean; readonly nested: number },
): number {
  if (nested >= maxNested) return -1
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '}') return i + 1
    if (char === '\\') i = afterBackslash(text, i, isRaw)
    else if (char === '{') {
      i = endOfField(text, i + 1, { mark, isRaw, nested }) - 1
      if (i < 0) return -1
    } else if (char === '\n' && mark.length === 1) return -1
    else if (char === mark[0] && text.startsWith(mark, i)) return -1
  }
  return -1
}
