// What calling a function of a language or package does, written as words: `read:0` reads the path that is its first
// argument, `address:0|url` reaches the address that is its first argument or the one named `url`.

export type Verb =
  | 'read'
  | 'write'
  /** A path, then the mode it is opened with. */
  | 'open'
  | 'address'
  /** A host, then its port. */
  | 'host'
  /** A list of host and port. */
  | 'pair'
  /** The host of an object of settings: `{ host, port }`. */
  | 'settings'
  /** A line for a shell. */
  | 'shell'
  /** A program with its arguments: one list, or the program and a list. */
  | 'argv'
  | 'code'
  | 'import'
  | 'variable'
  /** All variables. */
  | 'environment'
  | 'secret'
  | 'tool'
  | 'persist'
  | 'dynamic'
  | 'unknown'
  /** What it gives back: `downloaded`, `decoded:base64`, `path`, `home`, or the argument of a number. */
  | 'gives'

export interface Effect {
  readonly verb: Verb
  /** Position of the argument; -1: what the method was taken from. */
  readonly index: number
  readonly name?: string
  readonly more?: string
}

export type Rule = readonly Effect[]

/** Rules by full name: every name of a line has the rule that stands before it. */
export function rulesOf(lines: { readonly [rule: string]: string }): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>()
  for (const [words, names] of Object.entries(lines)) {
    const rule = words.split(' ').map(effectOf)
    for (const name of names.split(/\s+/)) if (name !== '') rules.set(name, rule)
  }
  return rules
}

function effectOf(word: string): Effect {
  const [verb, given = '', more] = word.split(':') as [Verb, string?, string?]
  if (verb === 'gives') return { verb, index: /^\d+$/.test(given) ? Number(given) : -2, name: given, more }
  const [index, name] = /^\d|^of/.test(given) ? given.split('|') : ['0', given]
  return { verb, index: index === 'of' ? -1 : Number(index), name: name || undefined, more }
}
