// The shape of a command file: what it takes, examples for its help, and what it does.
import type { Command } from 'commander'
import type { Session } from './session.ts'

export interface CliCommand {
  /** Adds arguments and options of its own; the common ones are there already. */
  define(command: Command): void
  /** Shown at the end of its help: command line and what it does. */
  readonly examples: readonly (readonly [string, string])[]
  /** What its first argument may be, for shell completion; an argument named `ref` is a tool anyway. */
  readonly words?: readonly string[]
  /** Takes options commander does not know (the parameters of a tool). */
  readonly takesAnyOption?: boolean
  /** Resolves to the exit code; throws a ToolError for what went wrong. */
  run(
    session: Session,
    args: readonly string[],
    options: { readonly [name: string]: unknown },
    command: Command,
  ): Promise<number>
}

/** Wrong usage: exit 2, with the message and how to go on. */
export class UsageError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
