// What whoever made a call can be asked while it runs, in the shapes MCP gives these questions. A surface that can put
// them to somebody hangs these on the call. Each takes a `key`: what whoever asks calls the question.

export interface CallerAnswers {
  /** Puts a question of a foreign server to a person. */
  readonly onElicit?: (
    params: never,
    key?: string,
  ) => Promise<{ readonly action: string; readonly content?: unknown }>
  /** Which kinds of questions that person can be shown; default: forms only. */
  readonly elicitModes?: readonly ('form' | 'url')[]
  /** Asks the model of whoever made the call. */
  readonly onSample?: (params: never, key?: string) => Promise<unknown>
  /** Told that what a person was sent to a page for has ended there. `id`: what the question called it. */
  readonly onElicited?: (id: string) => void
  /** The call is a task: its caller comes back for the result. */
  readonly isTask?: boolean
  /** Asks which folders the caller works in. */
  readonly onRoots?: (key?: string) => Promise<unknown>
}
