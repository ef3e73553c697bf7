// `toolcrib runs`: what ran, how it ended, the same once more, and whether the record is whole.
import type { Crib } from '../../../crib/crib.ts'
import type { RunDetail, RunSummary } from '../../../runs/run-history.ts'
import type { Acceptance } from '../../../sandbox/changes/decide-held.ts'
import { noEffects } from '../../../sandbox/changes/effects-of.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { actionOf, countOption, neededArgument } from '../actions.ts'
import { callAndReport } from '../call-and-report.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { diffLines } from '../diff-lines.ts'
import { effectLines, effectWords } from '../effect-lines.ts'
import type { Session } from '../session.ts'
import { sinceOption } from '../since-option.ts'
import { columns, outStyle, plain } from '../style.ts'

interface Options {
  readonly tool?: string
  readonly failed?: boolean
  readonly ok?: boolean
  readonly surface?: string
  readonly since?: string
  readonly limit?: string
  readonly cursor?: string
  readonly diff?: boolean
  readonly file?: readonly string[]
}

type Action = (session: Session, crib: Crib, id: string | undefined, options: Options) => Promise<number>

export const runs: CliCommand = {
  words: ['list', 'show', 'accept', 'reject', 'replay', 'verify'],
  examples: [
    ['toolcrib runs', 'the latest runs'],
    ['toolcrib runs list --failed --since 2h', 'what failed in the last two hours'],
    ['toolcrib runs show <id>', 'parameters as recorded, outcome, logs, where the time went'],
    ['toolcrib runs show <id> --diff', 'what it changed in the files'],
    ['toolcrib runs replay <id>', 'the same call again; needs audit.params: full'],
    ['toolcrib runs verify', 'exit 5 when a record was changed, removed or added'],
  ],
  define(command) {
    command
      .argument('[action]', 'list, show, accept, reject, replay or verify', 'list')
      .argument('[id]', 'show, accept, reject, replay: the id of the run, or its beginning')
      .option('--tool <id>', 'list: only runs of this tool')
      .option('--failed', 'list: only those that failed')
      .option('--ok', 'list: only those that succeeded')
      .option(
        '--surface <name>',
        'list: only those asked for by cli, http, mcp, event, tool, library or agent',
      )
      .option('--since <when>', 'list: only those begun since a time, or 30m, 2h, 7d ago')
      .option('--limit <n>', 'list: how many (20)')
      .option('--cursor <cursor>', 'list: go on where a list ended')
      .option('--file <path...>', 'accept: only these files')
      .option('--diff', 'show: what it changed in the files, as a unified diff')
  },
  async run(session, [word = 'list', id], options: Options) {
    const action = actionOf('runs', actions, word)
    return action(session, await session.open(), id, options)
  },
}

const actions: { readonly [word: string]: Action } = {
  async list(session, crib, _id, { tool, failed, ok, surface, since, limit, cursor }) {
    if (failed && ok) throw new UsageError('--failed and --ok exclude each other.')
    if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
      throw new UsageError(`--cursor takes what an earlier list ended with, not "${cursor}".`)
    const page = await crib.crumbs.runs.list({
      limit: countOption(limit, '--limit') ?? 20,
      tool,
      ok: failed || ok ? ok === true : undefined,
      surface,
      since: since === undefined ? undefined : sinceOption(since, Date.now()),
      cursor,
    })
    if (session.json) session.outJson(page)
    else for (const line of columns(page.runs.map(rowOf))) session.out(line)
    if (page.runs.length === 0) session.note('No run matches.')
    if (page.next !== undefined) session.note(`There are more: --cursor ${page.next}`)
    return 0
  },

  async show(session, crib, id, { diff }) {
    const wanted = neededArgument(id, 'runs show', 'the id of a run')
    if (diff) return showDiff(session, crib, wanted)
    const run = await found(crib, wanted)
    if (session.json) session.outJson({ runs: [run] })
    else for (const line of detailLines(run)) session.out(line)
    return 0
  },

  async accept(session, crib, id, { file }) {
    return decide(session, crib, neededArgument(id, 'runs accept', 'the id of a run'), file ?? 'all')
  },

  async reject(session, crib, id) {
    return decide(session, crib, neededArgument(id, 'runs reject', 'the id of a run'), 'none')
  },

  async replay(session, crib, id) {
    const run = await found(crib, neededArgument(id, 'runs replay', 'the id of a run'))
    if (!run.isInFull)
      throw new ToolError('PARAMS_INVALID', `Run ${run.runId} was recorded by the shape of its parameters.`, {
        hint: 'Set audit: { params: full } in toolcrib.yaml; runs recorded from then on can be repeated.',
      })
    return callAndReport(session, crib, { ref: run.tool, params: run.params, flags: {} })
  },

  async verify(session, crib) {
    const verdict = await crib.crumbs.runs.verify()
    if (session.json) session.outJson(verdict)
    else if (verdict.ok)
      session.out(
        `${verdict.count} records, all as they were written. Head: ${verdict.head}${verdict.removed > 0 ? `. ${verdict.removed} older ones were removed (runs.keep).` : ''}`,
      )
    else
      session.out(
        outStyle.red(`Record ${verdict.broken!.seq} is not what was written: ${verdict.broken!.reason}.`),
      )
    return verdict.ok ? 0 : 5
  },
}

/** Decides on what a run holds. */
async function decide(session: Session, crib: Crib, id: string, accepted: Acceptance): Promise<number> {
  const effects = await crib.decide(id, accepted)
  if (session.json) session.outJson({ effects })
  else for (const line of effectLines({ effects, runId: effects.changeSet ?? id })) session.note(line)
  return 0
}

/** An undo has a change set and no record of a run. */
async function showDiff(session: Session, crib: Crib, id: string): Promise<number> {
  const run = await crib.crumbs.runs.find(id)
  if (run && run.filesChanged === undefined) {
    if (session.json) session.outJson({ runs: [run], effects: { ...noEffects, diff: '' } })
    else session.note(`${run.tool} changed no files in run ${run.runId}.`)
    return 0
  }
  const { changes: _, ...effects } = crib.changes(run?.runId ?? id)
  if (session.json) session.outJson({ runs: run ? [run] : [], effects })
  else for (const line of diffLines(effects.diff)) session.out(line)
  return 0
}

async function found(crib: Crib, id: string): Promise<RunDetail> {
  const run = await crib.crumbs.runs.find(id)
  if (run) return run
  throw new ToolError('RUN_NOT_FOUND', `There is no run ${id}.`, { hint: 'See `toolcrib runs`.' })
}

function rowOf(run: RunSummary): string[] {
  return [
    outStyle.dim(run.startedAt.slice(0, 19).replace('T', ' ')),
    run.ok ? outStyle.green('ok') : outStyle.red(run.errorCode ?? 'failed'),
    plain(run.tool),
    `${run.ms < 10 ? run.ms.toFixed(1) : Math.round(run.ms)} ms`,
    outStyle.dim(`${run.surface}${run.caller && run.caller !== run.surface ? ` ${plain(run.caller)}` : ''}`),
    outStyle.dim(run.runId),
  ]
}

function detailLines(run: RunDetail): string[] {
  const { outcome, logs, spans, trigger } = run
  const end = outcome && !outcome.ok ? `${outcome.error.code}: ${plain(outcome.error.message)}` : 'ok'
  return [
    ...columns(
      [
        ['run', run.runId],
        ['tool', `${plain(run.tool)} (${run.format})`],
        ['asked by', `${run.surface} ${plain(run.caller)}`],
        ...(trigger ? [['triggered by', `${plain(trigger.schema)} ${trigger.crumb ?? ''}`]] : []),
        ...(run.parent === undefined ? [] : [['called from', run.parent]]),
        ['began', `${run.startedAt}, took ${run.ms} ms`],
        ['ended', end],
        ...(outcome?.effects ? [['files', effectWords(outcome.effects)]] : []),
        ...(outcome?.effects?.session ? [['session', outcome.effects.session]] : []),
        ['enforced by', run.enforcement.layers.join(', ') || 'nothing but the process itself'],
      ].map(([name, value]) => [outStyle.dim(name!), value!]),
      0,
    ),
    ...section('parameters', JSON.stringify(run.params, null, 2)),
    ...(outcome?.ok ? section('value', JSON.stringify(outcome.value, null, 2) ?? '') : []),
    ...section('log', logs.map((line) => `${line.level}: ${plain(line.message)}`).join('\n')),
    ...section(
      'time',
      spans.map(({ name, startMs, endMs }) => `${(endMs - startMs).toFixed(1)} ms  ${name}`).join('\n'),
    ),
  ]
}

function section(title: string, text: string): string[] {
  return text === '' || text === 'null' ? [] : ['', outStyle.dim(title), text]
}
