// `toolcrib learn`: runs a tool inside the fence, watches what it reaches for, and proposes the smallest grants.
import { ToolError } from '../../../tool/tool-error.ts'
import { callsOf, type Learned, learnTool, saveLearned } from '../../learn/learn-tool.ts'
import { changedLines } from '../../trust/save-settings.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { readParams } from '../read-params.ts'
import type { Session } from '../session.ts'
import { columns, outStyle, plain } from '../style.ts'

interface Options {
  readonly params?: string
  readonly examples?: boolean
  readonly runs?: string
  readonly write?: boolean
  readonly verify?: boolean
  readonly sensitive?: boolean
  readonly open?: boolean
}

/** What `--open` opens for the runs that are watched, and for them alone. */
const opened = ['fs.read', 'fs.write', 'net.http', 'shell.execute', 'rye.execute']

export const learn: CliCommand = {
  examples: [
    [
      `toolcrib learn text/lines --params '{"path":"notes/shopping.md"}'`,
      'watches one call and proposes grants',
    ],
    ['toolcrib learn notes_read --examples --verify', 'proves with its examples that none can be left out'],
    ['toolcrib learn notes_read --examples --write', 'writes them to toolcrib.yaml'],
    ['toolcrib learn notes_list --open', 'lets it reach further while it is watched; asks first'],
  ],
  define(command) {
    command
      .argument('<ref>', 'the tool')
      .option('--params <json|@file|->', 'parameters of a call to watch')
      .option('--examples', 'watch all its examples; so without --params')
      .option('--runs <n>', 'how often each call is made', '1')
      .option('--write', 'write the proposal to toolcrib.yaml')
      .option('--verify', 'prove that it is the smallest')
      .option('--sensitive', 'also propose what holds keys or is protected')
      .option('--open', 'open files, public hosts and programs to the watched runs; needs a terminal')
  },
  async run(session, [ref], given) {
    const options = given as Options
    const runs = Number(options.runs)
    if (!Number.isInteger(runs) || runs < 1 || runs > 100)
      throw new UsageError(`--runs takes a number from 1 to 100, not "${options.runs}".`)
    const params = options.params === undefined ? undefined : readParams(options.params)
    const crib = await session.open()
    const tool = await crib.resolve(ref!, { as: session.principal, signal: session.signal, load: 'full' })
    const isOpen = options.open === true && (await mayOpen(session, tool.id))
    const learned = await learnTool(crib, tool, {
      crib: session.cribOptions,
      calls: callsOf(tool, { params, wantsExamples: options.examples === true, approved: session.yes }),
      runs,
      opened: isOpen ? opened : [],
      isSensitiveWanted: options.sensitive === true,
      verifies: options.verify === true,
      mayOpen: isOpen || options.write === true,
      principal: session.principal,
      signal: session.signal,
    })
    const isUnproven = options.verify === true && learned.failure !== undefined
    if (options.write && !isUnproven) await saveLearned(crib, learned, session.principal)
    if (session.json) session.outJson(jsonOf(learned))
    else report(session, learned, { ...options, write: options.write === true && !isUnproven })
    if (learned.failure !== undefined)
      session.fail(
        `error: ${plain(learned.tool)} failed in every call: ${plain(learned.failure).replace(/\.$/, '')}. What it would reach for after that was not seen, and nothing is proven.`,
      )
    if (isUnproven) return 1
    if (!options.verify) return 0
    if (learned.verified) return learned.verified.ok ? 0 : 1
    session.fail(`error: ${unproven(learned)}`)
    return 5
  },
}

/** Asks at the terminal; without one nothing is opened. */
async function mayOpen(session: Session, tool: string): Promise<boolean> {
  if (!session.mayAsk)
    throw new UsageError('--open needs a terminal: somebody must see what is opened.', 'Leave it away.')
  session.note(
    `While it is watched, ${tool} may read and write the crib (what it writes is thrown away), reach public hosts, start programs and call tools.`,
  )
  const { confirm } = await import('@clack/prompts')
  if ((await confirm({ message: 'Open that?' })) === true) return true
  throw new ToolError('APPROVAL_DENIED', 'Nothing was opened.')
}

/** Why there is no proof. */
function unproven({ tool, proposal }: Learned): string {
  return `It is not proven: ${proposal.missing.join(', ')} would have to be opened to ${tool} for that. Add --write to grant it, or --open to open it for the watched runs alone.`
}

function jsonOf({ tool, calls, observed, proposal, verified, failure, edit, notes }: Learned) {
  return {
    tool,
    calls: calls.map(({ name, ok, said }) => ({ name, ok, said })),
    observed,
    proposal: proposal.grants,
    missing: proposal.missing,
    refused: proposal.refused,
    change: { file: edit.file, lines: changedLines(edit) },
    notes,
    ...(verified && { verified }),
    failure,
  }
}

function report(session: Session, learned: Learned, options: Options): void {
  const { tool, calls, observed, proposal, verified, edit } = learned
  for (const note of learned.notes) session.note(note)
  const table = (title: string, rows: readonly (readonly string[])[], empty: string) => {
    session.out(outStyle.bold(title))
    for (const line of columns(rows.map((row) => row.map(plain)))) session.out(`  ${line}`)
    if (rows.length === 0) session.out(`  ${empty}`)
  }
  table(
    `${plain(tool)}: ${calls.length} ${calls.length === 1 ? 'call' : 'calls'} watched`,
    calls.map(({ name, said }) => [name, said]),
    '',
  )
  table(
    'Reached for',
    observed.map(({ kind, what, isDenied }) => [kind, what, isDenied ? 'denied' : '']),
    'nothing that needs a grant',
  )
  table(
    'Proposal',
    proposal.grants.map((grant) => [grant, proposal.missing.includes(grant) ? 'not granted yet' : '']),
    'nothing',
  )
  if (proposal.refused.length > 0)
    table(
      'Not proposed',
      proposal.refused.map(({ what, why }) => [what, why]),
      '',
    )
  if (verified)
    table(
      `Proof: ${verified.ok ? 'with exactly these every call ends as before, and none can be left out' : 'it does not hold'}`,
      verified.rows.map(({ without, difference }) => [
        without === null ? 'with exactly these' : `without ${without}`,
        difference ?? (without === null ? 'as before' : 'as before: left out'),
      ]),
      '',
    )
  session.out(outStyle.bold(options.write ? 'toolcrib.yaml, written' : 'toolcrib.yaml'))
  const lines = changedLines(edit)
  for (const line of lines) session.out(`  ${plain(line)}`)
  if (lines.length === 0) session.out('  as it is')
  else if (!options.write) session.note('Nothing was written; add --write to write it.')
}
