// Code of a tool that stands in no file of its own.

/** Stands in inline code for what only a call tells: a parameter, a variable of the host. */
export const notYetKnown = '\u0000'

/** A text, or a command line by its words. */
export type InlineCode =
  | { readonly language: 'javascript' | 'typescript' | 'shell'; readonly text: string }
  | { readonly argv: readonly string[] }
