// What is a shell script, as data? Pipelines of commands, their words and redirections.

export type WordPart =
  /** `isSpelled`: its letters were written as numbers. */
  | { readonly kind: 'text'; readonly text: string; readonly isSpelled?: boolean }
  /** `$name`, `${name…}`; `rest` is what stands behind the name. */
  | {
      readonly kind: 'variable'
      readonly name: string
      readonly rest: string
      readonly isQuoted: boolean
      readonly at: number
    }
  /** `$(…)` and backquotes; `<(…)` is one that is read as a file. */
  | { readonly kind: 'output'; readonly script: Script; readonly isFile: boolean }

export interface Word {
  readonly parts: readonly WordPart[]
  readonly at: number
}

export interface Redirection {
  /** `<`, `>`, `>>`, `<>`, `<<` for a text, `<<<` for a word. */
  readonly sign: string
  readonly target: Word
}

export interface Command {
  readonly at: number
  readonly assigned: readonly {
    readonly name: string
    readonly values: readonly Word[]
    readonly isMore: boolean
    readonly at: number
  }[]
  readonly words: readonly Word[]
  readonly redirections: readonly Redirection[]
  /** Commands in brackets or braces, whose output and redirections count together. */
  readonly group?: Script
  /** The name of a function that is defined here; its commands follow as if they ran here. */
  readonly defines?: string
  /** `for name in words` */
  readonly loop?: { readonly name: string; readonly words: readonly Word[] }
}

export type Pipeline = readonly Command[]
export type Script = readonly Pipeline[]

export function plainText({ parts }: Word): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
}
