// Reads the command line, runs one command, and turns whatever comes of it into output and an exit code.
import { Command, CommanderError } from 'commander'
import { version } from '../../config/version.ts'
import { isCrumbError } from '../../crumbs/crumb-error.ts'
import { nearNames } from '../../tool/near-names.ts'
import { errorData, isToolError } from '../../tool/tool-error.ts'
import { addCommonOptions, buildCommand } from './build-command.ts'
import { UsageError } from './command.ts'
import { crumbFailure } from './crumb-failure.ts'
import { exampleLines } from './example-lines.ts'
import { exitCodeOf } from './exit-code.ts'
import { type CommandEntry, commands } from './registry.ts'
import { type CommonOptions, Session } from './session.ts'
import { splitCommand } from './split-command.ts'
import { noteStyle, plain } from './style.ts'

const firstSteps: readonly (readonly [string, string])[] = [
  ['toolcrib list', 'what is here'],
  ['toolcrib new rye text/count', 'write a tool'],
  ['toolcrib run text/count --text "a b c"', 'call it'],
  ['toolcrib serve', 'MCP, HTTP and the console'],
]

/** Runs the program; resolves to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', leaveQuietly)
  process.stderr.on('error', leaveQuietly)
  const { name, rest } = splitCommand(argv)
  if (name === undefined) return helpOrUsage(rest)
  const entry = commands.find((command) => command.name === name)
  if (!entry) return unknownCommand(name, rest)
  return runCommand(entry, rest)
}

/** Whoever read our output has gone, as `head` does: nothing is left to say. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit()
}

function helpOrUsage(rest: readonly string[]): number {
  const program = addCommonOptions(new Command('toolcrib'))
    .usage('[options] <command>')
    .description('The tool crib for AI agents: one checked catalog of tools in five formats.')
    .version(version(), '-V, --version', 'the version')
    .helpOption('-h, --help', 'this help')
    .helpCommand(false)
    .exitOverride()
  for (const entry of commands) program.command(entry.name).description(entry.summary)
  const help = `${program.helpInformation()}\nExamples:\n${exampleLines(firstSteps).join('\n')}\n\nHelp for one command: toolcrib <command> --help\n`
  const wantsHelp =
    rest.length === 0 || rest.some((arg) => arg === '-h' || arg === '--help') || rest[0] === 'help'
  if (!wantsHelp && rest.includes('--version')) {
    process.stdout.write(`${version()}\n`)
    return 0
  }
  if (wantsHelp) {
    ;(rest.length === 0 ? process.stderr : process.stdout).write(help)
    return rest.length === 0 ? 2 : 0
  }
  process.stderr.write(`${noteStyle.red('error')}: no command given\n\n${help}`)
  return 2
}

function unknownCommand(name: string, rest: readonly string[]): number {
  const near = nearNames(
    name,
    commands.map((command) => command.name),
    1,
  )
  const hint = near.length > 0 ? `Did you mean "${near[0]}"?` : 'See `toolcrib --help`.'
  if (rest.includes('--json'))
    process.stdout.write(
      `${JSON.stringify({ ok: false, error: { code: 'USAGE', message: `There is no command "${name}".`, hint, retryable: false } })}\n`,
    )
  process.stderr.write(`${noteStyle.red('error')}: there is no command "${name}". ${hint}\n`)
  return 2
}

async function runCommand(entry: CommandEntry, rest: string[]): Promise<number> {
  const definition = await entry.load()
  const command = buildCommand(entry, definition)
  const interrupt = new AbortController()
  let session: Session | undefined
  let code = 0
  command.action(async () => {
    session = new Session(command.opts<CommonOptions>(), interrupt.signal)
    code = await definition.run(session, command.args, command.opts(), command)
  })
  const onSignal = () => interrupt.abort()
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    await command.parseAsync(rest, { from: 'user' })
    return interrupt.signal.aborted && code !== 0 ? 130 : code
  } catch (error) {
    return reportFailure(error, session, rest)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    await session?.close()
  }
}

function reportFailure(error: unknown, session: Session | undefined, rest: readonly string[]): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const asJson = session?.json ?? rest.includes('--json')
  if (error instanceof UsageError) {
    if (asJson)
      process.stdout.write(
        `${JSON.stringify({ ok: false, error: { code: 'USAGE', message: error.message, hint: error.hint, retryable: false } })}\n`,
      )
    process.stderr.write(
      `${noteStyle.red('error')}: ${error.message}\n${error.hint ? `${noteStyle.dim(error.hint)}\n` : ''}`,
    )
    return 2
  }
  const refusal = isCrumbError(error) ? crumbFailure(error) : undefined
  const data = refusal
    ? refusal.data
    : isToolError(error)
      ? errorData(error)
      : {
          code: 'INTERNAL',
          message: error instanceof Error ? error.message : String(error),
          retryable: false,
        }
  if (asJson) process.stdout.write(`${JSON.stringify({ ok: false, error: data })}\n`)
  process.stderr.write(`${noteStyle.red('error')}: ${data.code}: ${plain(data.message)}\n`)
  if ('hint' in data && data.hint) process.stderr.write(`${noteStyle.dim(plain(data.hint))}\n`)
  if (data.code === 'INTERNAL' && error instanceof Error && process.env['TOOLCRIB_DEBUG'])
    process.stderr.write(`${error.stack}\n`)
  return refusal?.exitCode ?? exitCodeOf(data.code)
}
