// Reads the command line, runs one command, and turns whatever comes of it into output and an exit code.
import { Command, CommanderError } from 'commander'
import { version } from '../../config/version.ts'
import { exitCodeOf } from '../../tool/error-codes.ts'
import { nearNames } from '../../tool/near-names.ts'
import { errorData, isToolError } from '../../tool/tool-error.ts'
import { addCommonOptions, buildCommand } from './build-command.ts'
import { UsageError } from './command.ts'
import { groupOf, groupTitles } from './command-groups.ts'
import { endSoon } from './end-soon.ts'
import { exampleLines } from './example-lines.ts'
import { fileFailure } from './file-failure.ts'
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

/** A closed terminal ends a run as Ctrl-C does: workers and what was put in place for them go with it. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the program; resolves to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', leaveQuietly)
  process.stderr.on('error', leaveQuietly)
  const { name, rest } = splitCommand(argv)
  if (name === undefined && rest.length === 0) {
    const answer = await offerDoors()
    if (answer !== undefined) return answer
  }
  if (name === undefined) return helpOrUsage(rest)
  const entry = commands.find((command) => command.name === name)
  if (!entry) return unknownCommand(name, rest)
  return runCommand(entry, rest)
}

/** D3: in a folder that is no crib yet, what is here and what takes it in; undefined when nothing is. */
async function offerDoors(): Promise<number | undefined> {
  const { whatIsHere } = await import('./what-is-here.ts')
  const doors = whatIsHere(process.cwd())
  if (!doors || doors.length === 0) return undefined
  const words = doors.map(({ found, command }) => [`toolcrib ${command.join(' ')}`, found] as const)
  process.stdout.write(`There are no tools here yet, but:\n${exampleLines(words).join('\n')}\n`)
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    process.stderr.write('All commands: toolcrib --help\n')
    return 0
  }
  const { isCancel, select } = await import('@clack/prompts')
  const options = doors.map(({ found }, index) => ({ value: index, label: `Take in ${found}` }))
  const chosen = await select({
    message: 'What shall become a tool?',
    options: [...options, { value: -1, label: 'Nothing now' }],
  })
  return isCancel(chosen) || chosen === -1 ? 0 : main(doors[chosen as number]!.command)
}

/** Whoever read our output has gone, as `head` does or a closed terminal: nothing is left to say. */
function leaveQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EIO') process.exit()
  const failure = fileFailure(error)
  if (!failure) throw error
  process.stderr.write(`${noteStyle.red('error')}: The output cannot be written: ${error.message}.\n`)
  process.exit(exitCodeOf(failure.code))
}

function helpOrUsage(rest: readonly string[]): number {
  const program = addCommonOptions(new Command('toolcrib'))
    .usage('[options] <command>')
    .description(
      'The tool crib for AI agents: your scripts, APIs, skills and MCP servers as one checked catalog.',
    )
    .version(version(), '-V, --version', 'the version')
    .helpOption('-h, --help', 'this help')
    .helpCommand(false)
    .exitOverride()
  // In the order of the headings: commander shows a heading where its first command stands.
  for (const title of groupTitles)
    for (const { name, summary } of commands.filter((entry) => groupOf(entry.name) === title))
      program.command(name).description(summary).helpGroup(title)
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
  if (rest.includes('--json')) tellUsage(`There is no command "${name}".`, hint)
  process.stderr.write(`${noteStyle.red('error')}: there is no command "${name}". ${hint}\n`)
  return 2
}

/** Wrong usage as the one JSON document of the output. */
function tellUsage(message: string, hint: string | undefined): void {
  const error = { code: 'USAGE', message, hint, retryable: false }
  process.stdout.write(`${JSON.stringify({ ok: false, error })}\n`)
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
  const onSignal = () => {
    if (serving.has(entry.name)) endSoon()
    interrupt.abort()
  }
  for (const name of endings) process.once(name, onSignal)
  try {
    await command.parseAsync(rest, { from: 'user' })
    return interrupt.signal.aborted && code !== 0 ? 130 : code
  } catch (error) {
    return reportFailure(error, session, rest, entry.name)
  } finally {
    for (const name of endings) process.off(name, onSignal)
    if (serving.has(entry.name)) endSoon()
    await session?.close()
  }
}

/** Commands that stay until they are told to end; the others take the time they need. */
const serving = new Set(['serve', 'mcp'])
function reportFailure(
  error: unknown,
  session: Session | undefined,
  rest: readonly string[],
  name: string,
): number {
  const asJson = session?.json ?? rest.includes('--json')
  const helpHint = `See \`toolcrib ${name} --help\`.`
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    // Commander has told what is wrong on stderr already.
    if (asJson) tellUsage(error.message.replace(/^error: /, ''), helpHint)
    process.stderr.write(`${noteStyle.dim(helpHint)}\n`)
    return 2
  }
  if (error instanceof UsageError) {
    const hint = error.hint ?? helpHint
    if (asJson) tellUsage(error.message, hint)
    process.stderr.write(`${noteStyle.red('error')}: ${error.message}\n${noteStyle.dim(hint)}\n`)
    return 2
  }
  const data = isToolError(error)
    ? errorData(error)
    : (fileFailure(error) ?? {
        code: 'INTERNAL',
        message: error instanceof Error ? error.message : String(error),
        retryable: false,
      })
  const answer = { ok: false, error: data }
  if (asJson) session ? session.outJson(answer) : process.stdout.write(`${JSON.stringify(answer)}\n`)
  process.stderr.write(`${noteStyle.red('error')}: ${data.code}: ${plain(data.message)}\n`)
  if ('hint' in data && data.hint) process.stderr.write(`${noteStyle.dim(plain(data.hint))}\n`)
  if (data.code === 'INTERNAL' && error instanceof Error && process.env['TOOLCRIB_DEBUG'])
    process.stderr.write(`${error.stack}\n`)
  return exitCodeOf(data.code)
}
