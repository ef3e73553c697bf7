// `toolcrib run`: calls a tool and prints what it gave.
import { sidecarExamples } from '../../examples/sidecar-examples.ts'
import { type CallFlags, callAndReport, collectParams } from '../call-and-report.ts'
import type { CliCommand } from '../command.ts'
import { logInFor } from '../log-in-at-terminal.ts'
import { misspeltFlags } from '../params-from-flags.ts'
import { toolHelpLines } from '../tool-help.ts'
import { watchCalls } from '../watch-calls.ts'

interface RunOptions extends CallFlags {
  readonly params?: string
  readonly help?: boolean
}

export const run: CliCommand = {
  takesAnyOption: true,
  examples: [
    [`toolcrib run text/count --text "one two"`, 'a parameter by name'],
    [`toolcrib run text/count --params '{"text":"one two"}'`, 'all parameters as JSON; also @file and -'],
    ['toolcrib run text/count --help', "the tool's own parameters"],
    ['toolcrib run notes_search --text milk --dry-run --json', 'what a call would do'],
    [`toolcrib run text/count --text "one two" --preview`, 'what it would change in the files'],
    ['toolcrib run', "the crib's main skill"],
  ],
  define(command) {
    command
      .usage('[options] [ref] [--<parameter> <value>...]')
      .argument('[ref]', "the tool; without one, the crib's main skill")
      .option('--params <json|@file|->', 'parameters as one JSON object')
      .option('--dry-run', 'resolve and check everything, run nothing')
      .option('--hold', 'run it, and keep what it changes in the files until you accept it')
      .option('--preview', 'run it, show what it would change in the files, change nothing')
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
    // The thread that watches is started by the first code that runs in this process, and ends with it.
    watchCalls(crib)
    // A dry run and help run nothing, so they know a computed definition only as far as it is written.
    const load = options.help || options.dryRun ? 'static' : 'full'
    const ref = hasRef ? args[0]! : crib.main()
    const resolve = () => crib.resolve(ref, { as: session.principal, signal: session.signal, load })
    const tool = await resolve().catch(async (error: unknown) => {
      // A tool that nobody could list yet may be there after a log-in (U5).
      if (options.help || options.dryRun || !(await logInFor(error, session, crib))) throw error
      return resolve()
    })
    if (options.help) {
      for (const line of toolHelpLines(tool, [...tool.examples, ...sidecarExamples(tool)])) session.out(line)
      return 0
    }
    const { params: schema } = crib.described(tool)
    const flags = args.slice(hasRef ? 1 : 0)
    const params = collectParams(options.params, flags, schema)
    for (const note of misspeltFlags(flags, schema)) session.note(note)
    return callAndReport(session, crib, { ref: tool, params, flags: options })
  },
}
