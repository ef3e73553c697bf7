// Reads the lines of `strace -f -y`: joins a call that was interrupted by others, and takes its arguments apart.

export interface TracedCall {
  readonly pid: string
  readonly name: string
  /** As written, one for each argument. */
  readonly args: readonly string[]
  /** What stands after the equals sign: `3</crib/a>`, `-1 ENOENT (No such file or directory)`. */
  readonly result: string
}

const maxBegun = 10_000

export class TraceLines {
  readonly #begun = new Map<string, string>()

  /** The call that a line completes; undefined when it completes none. */
  take(line: string): TracedCall | undefined {
    const [, pid, text] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || text === undefined) return undefined
    const unfinished = ' <unfinished ...>'
    if (text.endsWith(unfinished)) {
      if (this.#begun.size < maxBegun) this.#begun.set(pid, text.slice(0, -unfinished.length))
      return undefined
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1]
    if (resumed === undefined) return parsed(pid, text)
    const begun = this.#begun.get(pid)
    this.#begun.delete(pid)
    return begun === undefined ? undefined : parsed(pid, begun + resumed)
  }
}

function parsed(pid: string, text: string): TracedCall | undefined {
  const name = /^(\w+)\(/.exec(text)?.[1]
  if (name === undefined) return undefined
  const { args, end } = splitArguments(text, name.length + 1)
  const result = /^\)\s*=\s(.*)$/.exec(text.slice(end))?.[1]
  return result === undefined ? undefined : { pid, name, args, result }
}

const opens = new Set(['(', '[', '{'])
const closes = new Set([')', ']', '}'])

/** The parts between commas, with texts, lists and descriptors kept whole; `end` is where the closing bracket stands. */
function splitArguments(text: string, from: number): { readonly args: string[]; readonly end: number } {
  const args: string[] = []
  let depth = 0
  let start = from
  let at = from
  for (; at < text.length; at++) {
    const letter = text[at]!
    if (letter === '"') at = endOfText(text, at)
    else if (letter === '<') at = endOfName(text, at)
    else if (opens.has(letter)) depth++
    else if (closes.has(letter)) {
      if (depth-- === 0) break
    } else if (letter === ',' && depth === 0) {
      args.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  const last = text.slice(start, at).trim()
  return { args: last === '' ? args : [...args, last], end: at }
}

function endOfText(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** The name of a descriptor; strace writes `<` and `>` inside one as numbers. */
function endOfName(text: string, from: number): number {
  const end = text.indexOf('>', from)
  return end < 0 ? text.length : end
}

const letters: { readonly [letter: string]: number } = { n: 10, t: 9, r: 13, v: 11, f: 12, a: 7, b: 8, e: 27 }

/** The text of an argument in quotes; undefined when it is none, or was cut off. */
export function textOf(arg: string | undefined): string | undefined {
  if (arg === undefined || !arg.startsWith('"') || !arg.endsWith('"') || arg.length < 2) return undefined
  return unescaped(arg.slice(1, -1))
}

/** The texts of a list of arguments: `["ls", "-l"]`. */
export function textsOf(arg: string | undefined): string[] | undefined {
  if (arg === undefined || !arg.startsWith('[') || !arg.endsWith(']')) return undefined
  const texts = splitArguments(`${arg.slice(1, -1)})`, 0).args.map(textOf)
  return texts.includes(undefined) ? undefined : (texts as string[])
}

/** The path of a descriptor: `3</crib/a>`, `AT_FDCWD</crib>`. */
export function pathOfDescriptor(arg: string | undefined): string | undefined {
  const name = /<(\/.*)>$/.exec(arg ?? '')?.[1]
  return name === undefined ? undefined : unescaped(name)
}

/** C's escapes, as bytes of UTF-8. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const bytes: number[] = []
  const plain = new TextEncoder()
  const pattern = /\\([0-7]{1,3})|\\x([0-9a-f]{2})|\\(.)|([^\\]+)/g
  for (const [, octal, hex, letter, rest] of text.matchAll(pattern)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff)
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else if (letter !== undefined) bytes.push(letters[letter] ?? letter.charCodeAt(0))
    else bytes.push(...plain.encode(rest))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
