// One Deno process with one tool in it: started in folders of its own, watched for memory and disk; the tool is loaded
// from memory, so that a process can be started before anybody knows for which.
import { randomBytes } from 'node:crypto'
import type { ToolError } from '../../tool/tool-error.ts'
import { residentBytes } from '../../workers/memory-watch.ts'
import { type NotOpened, Worker, type WorkerSetup } from '../../workers/worker.ts'
import { apiFailures, refusedInWorker } from './api.ts'
import { endedWhileLoading, loadFailed, loadTimeout } from './load-errors.ts'
import { watchScratch } from './scratch-watch.ts'
import { removeScratch, startDeno, type WorkerParts, type WorkerSpec } from './start-deno.ts'
import { whyLost } from './worker-end.ts'

export class DenoWorker extends Worker {
  /** Deno understood the denied ranges, asked in this very process. */
  deniesRanges = false
  readonly exitMark: string

  constructor(setup: WorkerSetup & { readonly exitMark: string }) {
    super(setup)
    this.exitMark = setup.exitMark
  }
}

const startTimeoutMs = 15_000
const spareMb = 32
/** Of its memory; who holds more after a call makes room for a fresh process. */
const roomyShare = 0.75

/** Starts Deno with nothing in it; throws MEMORY_LIMIT or WORKER_LOST. */
export async function startWorker(parts: WorkerParts, spec: WorkerSpec): Promise<DenoWorker> {
  const { child, enforcement, scratch } = await startDeno(parts, spec)
  const { settings, outputBytes } = parts
  const worker = new DenoWorker({
    child,
    enforcement,
    exitMark: randomBytes(12).toString('hex'),
    hearsAbort: true,
    // JSON text within JSON text: each of its quotes and backslashes is escaped once more.
    maxMessageBytes: Math.max(settings.apiBytes, outputBytes) * 2 + 65_536,
    logBytes: settings.logBytes,
    logLineBytes: settings.logLineBytes,
  })
  let idleBytes: number | null = null
  const unwatch = parts.watch.watch({
    pid: child.pid,
    limitBytes: () => (idleBytes === null ? null : idleBytes + (spec.memoryMb + spareMb) * 1_048_576),
    onOverLimit: () => worker.endFor('memory'),
  })
  const unwatchScratch = watchScratch(scratch, () => worker.endFor('disk'))
  void worker.ended.then(() => {
    unwatch()
    unwatchScratch()
    removeScratch(scratch)
  })
  try {
    const { deniesRanges } = await worker.untilReady(startTimeoutMs)
    worker.deniesRanges = deniesRanges === true
    idleBytes = residentBytes(child.pid)
    worker.roomyBytes = idleBytes + spec.memoryMb * roomyShare * 1_048_576
    return worker
  } catch (error) {
    throw whyNotOpened(error as NotOpened, spec.toolName, settings.loadTimeoutMs)
  }
}

/** Loads the tool into a process that has none yet; throws LOAD_FAILED, LOAD_TIMEOUT, MEMORY_LIMIT or WORKER_LOST. */
export async function loadTool(worker: DenoWorker, parts: WorkerParts, spec: WorkerSpec): Promise<void> {
  const { loadTimeoutMs } = parts.settings
  try {
    await worker.load(loadMessage(parts, spec, worker), loadTimeoutMs)
  } catch (error) {
    throw whyNotOpened(error as NotOpened, spec.toolName, loadTimeoutMs)
  }
}

function loadMessage(parts: WorkerParts, spec: WorkerSpec, worker: DenoWorker): string {
  const { plan, rights } = spec
  const hasNetwork = rights.network.public || rights.network.hosts.length > 0
  const type = plan.language === 'typescript' ? 'application/typescript' : 'text/javascript'
  const { logBytes, logLineBytes, apiBytes } = parts.settings
  return JSON.stringify({
    t: 'load',
    url: `data:${type};base64,${Buffer.from(plan.source).toString('base64')}`,
    settings: {
      exitMark: worker.exitMark,
      outputBytes: parts.outputBytes,
      logBytes,
      logLineBytes,
      apiBytes,
      failures: apiFailures,
      statuses: refusedInWorker,
      hasNetwork,
      checkIpv6: hasNetwork && worker.enforcement.dimensions['network'] !== 'enforced',
      listedIpv6: rights.network.hosts
        .filter((host) => host.startsWith('['))
        .map((host) => host.replace(/:\d+$/, '')),
    },
  })
}

function whyNotOpened(found: NotOpened, toolName: string, loadTimeoutMs: number): ToolError {
  switch (found.why) {
    case 'load-failed':
      return loadFailed(found.message, found.stack, toolName)
    case 'load-timeout':
      return loadTimeout(toolName, loadTimeoutMs)
    case 'start-timeout': {
      const exit = { code: null, signal: null, diedOf: 'SIGKILL' } as const
      return whyLost({ kind: 'signal', exit }, toolName)
    }
    case 'ended':
      return endedWhileLoading(found.end, toolName)
  }
}
