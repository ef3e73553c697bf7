// The record of every run, allow and deny. Calls are never held up: records gather for a moment and go
// into the chain together. The store is opened by the first record.
import type { Call } from '../kernel/call.ts'
import { type RunEntry, type RunRow, rowOf, type SealedRun, type StatsQuery } from '../store/run-record.ts'
import type { RunStats } from '../store/run-stats.ts'
import type { CrumbStore, RunTable } from '../store/store.ts'
import { defined } from '../tool/defined.ts'
import { inProcessEnforcement, type LogLine, type Outcome, type Span } from '../tool/outcome.ts'
import { timeId } from '../tool/time-id.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import type { ChainSeal } from './chain-seal.ts'
import { type EndedCall, endedCall, rowOfCall, whoOf } from './row-of-call.ts'
import type { RunQuery as HistoryQuery, RunDetail, RunHistory, RunPage, RunSummary } from './run-history.ts'
import { type Verdict, verifyRuns } from './verify-runs.ts'

/** More are written at once, even when the event loop never comes round. */
const maxWaiting = 128
/** How long records wait for others to be written with. */
const gatherMs = 25
/** Records that are kept while the store is away, and how often it is tried again. */
const maxKept = 20_000
/** So many records on their way into the store make callers wait for it. */
const maxInFlight = 4_096
const againMs = 1_000
/** Less of an id than this is a slip and not a run. */
const shortestBeginning = 4
const sealMs = 1_000
const isAway = new Set(['STORE_UNREACHABLE', 'STORE_BUSY', 'STORE_FULL'])

export interface RunLogOptions {
  /** Opens the store; called once something must be written or read. */
  store(): CrumbStore | Promise<CrumbStore>
  /** How arguments and results are recorded, as configured now. */
  params(): 'shape' | 'full'
  /** Seals the end of the chain; absent: it is not sealed. */
  readonly seal?: ChainSeal | undefined
  /** Told when records could not be written; the calls themselves go on. */
  onError?(error: unknown): void
}

/** A refusal without a call. */
export interface Denial {
  /** Of the run that was asked for, where it has an id already. */
  readonly runId?: string | undefined
  readonly tool?: string
  readonly caller: string
  readonly surface: string
  readonly code: string
  readonly message: string
}

export class RunLog implements RunHistory {
  readonly #options: RunLogOptions
  #waiting: (RunRow | EndedCall)[] = []
  readonly #batches = new Set<Promise<void>>()
  #isScheduled = false
  #inFlight = 0
  #isUnsealed = false
  #sealing: Promise<void> = Promise.resolve()
  #sealTimer: NodeJS.Timeout | undefined

  constructor(options: RunLogOptions) {
    this.#options = options
  }

  /** Keeps the record of a finished call; of a dry run only that it was denied. */
  recordCall(call: Call): void {
    const ended = endedCall(call, this.#options.params())
    if (!call.isDryRun || ended.kind === 'deny') this.#add(ended)
  }

  /** Keeps the record that somebody allowed a call that had to be asked for. */
  recordAllow(call: Call, reason: string): void {
    const { id, tool, principal } = call
    this.record({
      kind: 'allow',
      runId: id,
      tool: tool.id,
      format: tool.format,
      ...whoOf(principal),
      startedAt: new Date().toISOString(),
      reason,
    })
  }

  /** Keeps the record of a refusal that came before there was a call: a wrong token, a tool out of sight. */
  recordDenial(denial: Denial): void {
    const { runId = timeId(), tool = '', caller, surface, code, message } = denial
    this.record({
      kind: 'deny',
      runId,
      tool,
      caller,
      surface,
      startedAt: new Date().toISOString(),
      ok: false,
      errorCode: code,
      outcome: { ok: false, error: { code, message, retryable: false } },
    })
  }

  /** True when more is recorded than the store keeps up with: a caller that waits for `catchUp` keeps memory bounded. */
  get isBehind(): boolean {
    return this.#inFlight >= maxInFlight
  }

  record(entry: RunEntry): void {
    this.#add(rowOf(entry))
  }

  #add(entry: RunRow | EndedCall): void {
    this.#waiting.push(entry)
    if (this.#waiting.length % maxWaiting === 0) this.#send()
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(() => this.#send(), gatherMs)
  }

  /** Resolves when everything recorded so far is stored. */
  async flush(): Promise<void> {
    this.#send()
    await Promise.all(this.#batches)
    await this.#seal()
  }

  /** A seal for many records: it costs as much as writing them. */
  #sealSoon(): void {
    this.#isUnsealed = true
    if (!this.#options.seal) return
    this.#sealTimer ??= setTimeout(() => void this.#seal(), sealMs).unref()
  }

  #seal(): Promise<void> {
    clearTimeout(this.#sealTimer)
    this.#sealTimer = undefined
    const { seal, store, onError } = this.#options
    if (!seal || !this.#isUnsealed) return this.#sealing
    this.#isUnsealed = false
    this.#sealing = this.#sealing
      .then(async () => seal.seal(await store()))
      .catch((error: unknown) => onError?.(error))
    return this.#sealing
  }

  /** Resolves when what is on its way into the store is no longer more than it can take. */
  async catchUp(): Promise<void> {
    for (const batch of this.#batches) {
      if (this.#inFlight < maxInFlight / 2) return
      await batch
    }
  }

  /** Hands over what was gathered, without waiting for what went before: a store keeps the order. */
  #send(): void {
    this.#isScheduled = false
    const rows = this.#waiting.map((entry) => ('call' in entry ? rowOfCall(entry) : entry))
    if (rows.length === 0) return
    this.#waiting = []
    this.#inFlight += rows.length
    const batch = this.#append(rows).finally(() => {
      this.#inFlight -= rows.length
      this.#batches.delete(batch)
    })
    this.#batches.add(batch)
  }

  async #append(rows: readonly RunRow[]): Promise<void> {
    try {
      await (await this.#options.store()).runs.append(rows)
      this.#sealSoon()
    } catch (error) {
      this.#options.onError?.(error)
      if (isToolError(error) && isAway.has(error.code)) this.#keep(rows)
    }
  }

  /** The store is away: what could not be written is written when it is back, as far as memory is set aside for it. */
  #keep(rows: readonly RunRow[]): void {
    this.#waiting = [...rows, ...this.#waiting].slice(0, maxKept)
    setTimeout(() => this.#send(), againMs).unref()
  }

  /** Runs, latest first; releases of secrets are in the chain but not in this list. */
  async list({ cursor, limit, ...query }: HistoryQuery): Promise<RunPage> {
    await this.flush()
    const found = await (await this.#options.store()).runs.list({
      ...query,
      limit: limit + 1,
      kinds: ['run', 'deny'],
      before: cursor === undefined ? undefined : Number(cursor),
    })
    const runs = found.slice(0, limit).map(summaryOf)
    return found.length > limit ? { runs, next: String(found[limit - 1]!.seq) } : { runs }
  }

  async stats(query: Omit<StatsQuery, 'kinds'>): Promise<RunStats> {
    await this.flush()
    return (await this.#options.store()).runs.stats({ ...query, kinds: ['run', 'deny'] })
  }

  /**
   * By its id, or a beginning of it that only this run has. `isWhole`: by the id alone, for somebody who must not learn
   * which other runs there are (G17).
   */
  async find(runId: string, isWhole = false): Promise<RunDetail | undefined> {
    await this.flush()
    const { runs } = await this.#options.store()
    const run = (await runs.get(runId)) ?? (isWhole ? null : await this.#onlyOne(runs, runId))
    return run ? detailOf(run) : undefined
  }

  async #onlyOne(runs: RunTable, beginning: string): Promise<SealedRun | null> {
    if (beginning.length < shortestBeginning) return null
    const ids = await runs.idsFrom(beginning, 4)
    if (ids.length > 1)
      throw new ToolError('RUN_NOT_FOUND', `More than one run begins with ${beginning}.`, {
        hint: `Give more of the id: ${ids.join(', ')}`,
      })
    return ids.length === 1 ? runs.get(ids[0]!) : null
  }

  /** Walks the whole chain. */
  async verify(): Promise<Verdict> {
    await this.flush()
    const store = await this.#options.store()
    const verdict = await verifyRuns(store.runs)
    const broken = verdict.ok ? await this.#options.seal?.fault(store) : undefined
    return broken ? { ...verdict, ok: false, broken } : verdict
  }
}

function summaryOf(run: SealedRun): RunSummary {
  return {
    runId: run.runId,
    tool: run.tool,
    format: run.format ?? '',
    caller: run.caller,
    surface: run.surface,
    startedAt: run.startedAt,
    ms: run.ms ?? 0,
    ok: run.ok,
    errorCode: run.errorCode,
    cost: run.cost,
    enforcement: run.enforcement ?? inProcessEnforcement,
    parent: run.parent,
    trigger: run.trigger,
    stoppedAt: run.stoppedAt,
    isRefused: run.isRefused,
    filesChanged: run.effects && run.effects.added + run.effects.changed + run.effects.deleted,
  }
}

function detailOf(run: SealedRun): RunDetail {
  const summary = summaryOf(run)
  const logs = (run.logs ?? []) as readonly object[] as readonly LogLine[]
  return {
    ...summary,
    toolVersion: run.toolVersion,
    toolDigest: run.toolDigest,
    params: run.params ?? null,
    isInFull: run.isInFull || undefined,
    outcome: defined({
      ...(run.outcome as object),
      logs,
      ms: summary.ms,
      runId: run.runId,
      enforcement: summary.enforcement,
      meta: run.meta,
      cost: run.cost,
      ...(run.effects && { effects: run.effects }),
    }) as Outcome,
    logs,
    spans: (run.spans ?? []) as readonly object[] as readonly Span[],
  }
}
