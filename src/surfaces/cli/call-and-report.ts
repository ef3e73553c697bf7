// A call from the command line: what happens on the way goes to stderr, the result to stdout, the code to the shell.
import type { CallCribOptions, Crib } from '../../crib/crib.ts'
import { waitsForWord } from '../../sandbox/changes/decide-held.ts'
import { exitCodeOf } from '../../tool/error-codes.ts'
import { isPlainObject } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { JsonSchema, Tool } from '../../tool/tool.ts'
import { jsonOutcome } from '../outcome-json.ts'
import { attendApprovals } from './attend-approvals.ts'
import { UsageError } from './command.ts'
import { decideAtTerminal } from './decide-at-terminal.ts'
import { diffLines } from './diff-lines.ts'
import { effectLines } from './effect-lines.ts'
import { logInFor } from './log-in-at-terminal.ts'
import { paramsFromFlags } from './params-from-flags.ts'
import { readParams } from './read-params.ts'
import type { Session } from './session.ts'
import { StatusLine } from './status-line.ts'
import { noteStyle, plain, printable } from './style.ts'
import { TextStream } from './text-stream.ts'

export interface CallFlags {
  readonly dryRun?: boolean
  readonly timeout?: string
  readonly approve?: boolean
  /** Show what it changes in the files, and change nothing. */
  readonly preview?: boolean
  /** Ask before its changes of files count. */
  readonly hold?: boolean
}

/** Calls a tool and prints what came of it; resolves to the exit code. */
export async function callAndReport(
  session: Session,
  crib: Crib,
  {
    ref,
    params,
    flags,
  }: { readonly ref: string | Tool; readonly params: unknown; readonly flags: CallFlags },
): Promise<number> {
  const timeoutMs = timeoutOf(flags.timeout)
  if (flags.preview && flags.hold) throw new UsageError('--preview and --hold exclude each other.')
  const options: CallCribOptions = {
    principal: session.principal,
    signal: session.signal,
    approved: flags.approve === true || session.yes,
    timeoutMs,
    ...((flags.preview || flags.hold) && { effects: flags.preview ? 'discard' : 'hold' }),
  }
  if (flags.dryRun) {
    // Whoever could be asked by the call is not asked by a dry run.
    const leave = attendApprovals(crib, session, async () => {})
    const dry = await crib.dryRun(ref, params, options)
    leave()
    if (!dry.ok) return report(session, dry)
    session.json ? session.outJson(dry) : session.out(JSON.stringify(dry, null, 2))
    return 0
  }
  const stream = new TextStream(session)
  let isAsking = false
  const status = new StatusLine(
    typeof ref === 'string' ? ref : ref.id,
    !session.json && !session.quiet,
    () => !isAsking && !stream.isMidLine,
  )
  const pause = () => {
    status.clear()
    stream.pause()
  }
  // What is said while a question stands waits for its answer.
  let unsaid: string[] = []
  const leave = attendApprovals(crib, session, async (question) => {
    pause()
    isAsking = true
    try {
      await question()
    } finally {
      isAsking = false
      for (const line of unsaid) session.note(line)
      unsaid = []
    }
  })
  const callOnce = () =>
    crib.call(ref, params, {
      ...options,
      onProgress: (progress) => status.progress(progress),
      onText: (text) => {
        status.clear()
        stream.write(text)
      },
      onLog: (line) => {
        if (session.json || session.quiet) return
        const said = noteStyle.dim(plain(line.message))
        if (isAsking) {
          unsaid.push(said)
          return
        }
        pause()
        session.note(said)
      },
    })
  let outcome = await callOnce()
  if (!outcome.ok && outcome.error.code === 'AUTH_REQUIRED') {
    pause()
    if (await logInFor(outcome.error, session, crib)) outcome = await callOnce()
  }
  leave()
  status.end()
  stream.pause()
  const code = outcome.ok && stream.hasShown(outcome.value) ? 0 : report(session, outcome)
  if (session.json) return code
  if (flags.preview && outcome.effects?.changeSet !== undefined)
    for (const line of diffLines(crib.changes(outcome.runId).diff)) session.out(line)
  const isAsked = waitsForWord(outcome) && session.mayAsk && !session.yes
  const effects = (isAsked && (await decideAtTerminal(session, crib, outcome.runId))) || outcome.effects
  if (!session.quiet && effects)
    for (const line of effectLines({ effects, runId: outcome.runId })) session.note(line)
  return code
}

/** Parameters given as JSON, by name, or both. */
export function collectParams(
  json: string | undefined,
  flags: readonly string[],
  schema: JsonSchema | null,
): unknown {
  const base = json === undefined ? undefined : readParams(json)
  if (flags.length === 0) return base
  if (base !== undefined && !isPlainObject(base))
    throw new UsageError('--params must be a JSON object when parameters are also given by name.')
  return { ...(base as object | undefined), ...paramsFromFlags(flags, schema) }
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!(seconds > 0)) throw new UsageError(`--timeout takes a number of seconds, not "${text}".`)
  return Math.ceil(seconds * 1000)
}

/** Prints what a call came to; gives the exit code. */
export function report(session: Session, given: Outcome): number {
  const outcome = given.ok && given.value !== undefined ? jsonOutcome(given).outcome : given
  if (session.json) session.outJson(outcome)
  else if (outcome.ok) {
    if (typeof outcome.value === 'string') session.out(printable(outcome.value))
    else if (outcome.value !== undefined) session.out(printable(JSON.stringify(outcome.value, null, 2)))
  } else {
    const message = session.quiet ? outcome.error.message : unsaidOf(outcome)
    session.fail(`${noteStyle.red('error')}: ${outcome.error.code}: ${plain(message)}`)
    if (outcome.error.hint) session.fail(noteStyle.dim(plain(outcome.error.hint)))
  }
  return outcome.ok ? 0 : exitCodeOf(outcome.error.code)
}

/** The message of a failure without the lines that the tool printed before: of a traceback its last line says it. */
function unsaidOf({ error, logs }: Extract<Outcome, { ok: false }>): string {
  const lines = error.message.split('\n')
  const said = new Set(logs.flatMap(({ message }) => message.split('\n')))
  return lines.length > 1 && lines.every((line) => said.has(line)) ? lines.at(-1)! : error.message
}
