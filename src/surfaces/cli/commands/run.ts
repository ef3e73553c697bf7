// `toolcrib run`: calls a tool and prints what it gave.
import { isPlainObject } from '../../../tool/json.ts'
import type { Outcome } from '../../../tool/outcome.ts'
import type { Tool } from '../../../tool/tool.ts'
import { sidecarExamples } from '../../examples/sidecar-examples.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { exitCodeOf } from '../exit-code.ts'
import { paramsFromFlags } from '../params-from-flags.ts'
import { readParams } from '../read-params.ts'
import type { Session } from '../session.ts'
import { StatusLine } from '../status-line.ts'
import { noteStyle, plain } from '../style.ts'
import { toolHelpLines } from '../tool-help.ts'

interface RunOptions {
  readonly params?: string
  readonly dryRun?: boolean
  readonly timeout?: string
  readonly approve?: boolean
  readonly help?: boolean
}

export const run: CliCommand = {
  takesAnyOption: true,
  examples: [
    ['toolcrib run utility/hello --name Ada', 'a parameter by name'],
    [`toolcrib run utility/hello --params '{"name":"Ada"}'`, 'all parameters as JSON; also @file and -'],
    ['toolcrib run utility/hello --help', "the tool's own parameters"],
    ['toolcrib run deploy --dry-run --json', 'what a call would do'],
    ['toolcrib run', "the crib's main skill"],
  ],
  define(command) {
    command
      .usage('[options] [ref] [--<parameter> <value>...]')
      .argument('[ref]', "the tool; without one, the crib's main skill")
      .option('--params <json|@file|->', 'parameters as one JSON object')
      .option('--dry-run', 'resolve and check everything, run nothing')
      .option('--timeout <s>', 'seconds the call may take')
      .option('--approve', 'approve the call beforehand')
      .helpOption(false)
      .option('-h, --help', "help, with the tool's own parameters")
  },
  async run(session, args, given, command) {
    const options = given as RunOptions
    const hasRef = args[0] !== undefined && !args[0].startsWith('-')
    if (options.help && !hasRef) {
      command.outputHelp()
      return 0
    }
    const crib = await session.open()
    const tool = hasRef ? crib.find(args[0]!) : crib.main()
    if (options.help) {
      for (const line of toolHelpLines(tool, [...tool.examples, ...sidecarExamples(tool)])) session.out(line)
      return 0
    }
    const params = collectParams(options.params, args.slice(hasRef ? 1 : 0), tool)
    const timeoutMs = timeoutOf(options.timeout)
    const common = {
      caller: session.caller,
      signal: session.signal,
      approved: options.approve === true || session.yes,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }
    const ref = hasRef ? args[0]! : tool
    if (options.dryRun) {
      const dry = await crib.dryRun(ref, params, common)
      if (dry.ok) session.json ? session.outJson(dry) : session.out(JSON.stringify(dry, null, 2))
      return dry.ok ? 0 : report(session, dry)
    }
    const status = new StatusLine(tool.id, !session.json && !session.quiet)
    const outcome = await crib.call(ref, params, {
      ...common,
      onProgress: (progress) => status.progress(progress),
      onLog: (line) => {
        if (session.json || session.quiet) return
        status.clear()
        session.note(noteStyle.dim(plain(line.message)))
      },
    })
    status.end()
    return report(session, outcome)
  },
}

function collectParams(params: string | undefined, flags: readonly string[], tool: Tool): unknown {
  const base = params === undefined ? undefined : readParams(params)
  if (flags.length === 0) return base
  if (base !== undefined && !isPlainObject(base))
    throw new UsageError('--params must be a JSON object when parameters are also given by name.')
  return { ...(base as object | undefined), ...paramsFromFlags(flags, tool.params) }
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (!(seconds > 0)) throw new UsageError(`--timeout takes a number of seconds, not "${text}".`)
  return Math.ceil(seconds * 1000)
}

function report(session: Session, outcome: Outcome): number {
  if (session.json) session.outJson(outcome)
  else if (outcome.ok) {
    if (typeof outcome.value === 'string') session.out(outcome.value)
    else if (outcome.value !== undefined) session.out(JSON.stringify(outcome.value, null, 2))
  } else {
    session.note(`${noteStyle.red('error')}: ${outcome.error.code}: ${plain(outcome.error.message)}`)
    if (outcome.error.hint) session.note(noteStyle.dim(plain(outcome.error.hint)))
  }
  return outcome.ok ? 0 : exitCodeOf(outcome.error.code)
}
