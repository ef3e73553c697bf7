// What whoever made a call can be asked while it runs, in the shapes MCP gives these questions. A surface that can put
// them to somebody hangs these on the call.
import type { Progress } from './outcome.ts'

/** How a question is asked. */
export interface AskOptions {
  /** What whoever asks calls the question. */
  readonly key?: string
  /** Withdraws the question: nobody waits for the answer any longer. */
  readonly signal?: AbortSignal
  /** Takes how far the answer is. */
  readonly progress?: (progress: Progress) => void
}

export interface CallerAnswers {
  /** Puts a question of a foreign server to a person. */
  readonly onElicit?: (
    params: never,
    options?: AskOptions,
  ) => Promise<{ readonly action: string; readonly content?: unknown }>
  /** Which kinds of questions that person can be shown; default: forms only. */
  readonly elicitModes?: readonly ('form' | 'url')[]
  /** Asks the model of whoever made the call. */
  readonly onSample?: (params: never, options?: AskOptions) => Promise<unknown>
  /** What that model can do besides: `tools`, `context`; default: nothing. */
  readonly sampleWith?: readonly string[]
  /** Told that what a person was sent to a page for has ended there. `id`: what the question called it. */
  readonly onElicited?: (id: string) => void
  /** The call is a task: its caller comes back for the result. */
  readonly isTask?: boolean
  /** The least important log messages of foreign servers that it takes; default: `info`. */
  readonly logLevel?: string | undefined
  /** Asks which folders the caller works in. */
  readonly onRoots?: (options?: AskOptions) => Promise<unknown>
  /** Stands for a client that can be asked about any of its calls by each of them. */
  readonly client?: object
}
