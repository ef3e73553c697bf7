// What the console watches, as one stream: changes of the catalog, runs that begin and end, open approvals, events and nodes.
import type { ToolChange } from '../../catalog/tool-changes.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Call } from '../../kernel/call.ts'
import { endOf, type RunSummary, runningRun } from '../../runs/run-history.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import { errorData } from '../../tool/tool-error.ts'
import { openEventStream } from './event-stream.ts'
import { maySee } from './principals.ts'
import { maySeeRun } from './routes/runs.ts'

/** A burst of changes is told once. */
const tickMs = 250
/** How far runs are is told at most this often. */
const progressMs = 1_000
/** Other nodes come and go in the store, which tells nobody. */
const nodesMs = 3_000

export function consoleEvents(crib: Crib, principal: Principal): Response {
  const isShown = (run: RunSummary) => maySeeRun(principal, run)
  let version = crib.catalog.version
  let changes: Pick<ToolChange, 'id' | 'change'>[] = []
  let running = ''
  let progress = ''
  let progressAt = 0
  let approvals = ''
  let nodes = ''

  const onChange = ({ id, change, tool }: ToolChange) => {
    if (tool ? maySee(principal, tool, crib) : isUnrestricted(principal)) changes.push({ id, change })
  }
  const onRun = (call: Call) => {
    const run = finishedRun(call)
    if (!call.isDryRun && isShown(run)) stream.send('run', run)
  }
  const tick = () => {
    if (crib.catalog.version !== version) {
      version = crib.catalog.version
      stream.send('catalog', { version, changes })
      changes = []
    }
    const now = crib.kernel.running.map(runningRun).filter(isShown).reverse()
    const ids = now.map((run) => run.runId).join()
    const far = JSON.stringify(now.map((run) => run.progress))
    if (ids !== running || (far !== progress && Date.now() - progressAt >= progressMs)) {
      running = ids
      progress = far
      progressAt = Date.now()
      stream.send('running', now)
    }
    if (!principal.isAdmin) return
    const { pending } = crib.approvals
    const waiting = pending.map((each) => each.id).join()
    if (waiting !== approvals) {
      approvals = waiting
      stream.send('approvals', pending)
    }
  }

  const lookAtNodes = async () => {
    const state = await nodesNow(crib).catch(() => nodes)
    if (nodes !== '' && state !== nodes) stream.send('nodes', {})
    nodes = state
  }

  const timer = setInterval(tick, tickMs)
  timer.unref()
  const nodesTimer = principal.isAdmin ? setInterval(() => void lookAtNodes(), nodesMs) : undefined
  nodesTimer?.unref()
  crib.on('tool-changed', onChange)
  crib.on('run', onRun)
  const stream = openEventStream(() => {
    clearInterval(timer)
    clearInterval(nodesTimer)
    crib.off('tool-changed', onChange)
    crib.off('run', onRun)
  })
  stream.send('hello', { version, name: principal.name, isAdmin: principal.isAdmin })
  tick()
  return stream.response
}

/** Which nodes there are, whether each is alive, what each does and holds: one text that changes with any of it. */
async function nodesNow(crib: Crib): Promise<string> {
  const store = await crib.crumbs.store()
  const [rows, leases] = await Promise.all([store.nodes.list(), store.leases.list()])
  const nowMs = store.clock.now()
  return JSON.stringify([
    rows.map((row) => [
      row.node,
      row.seenMs,
      row.running,
      row.isDraining,
      nowMs - row.seenMs <= store.lease.ms,
    ]),
    leases.map(({ name, node }) => [name, node]),
  ])
}

function finishedRun(call: Call): RunSummary {
  const { state: _, progress: _progress, ...run } = runningRun(call)
  const isOk = call.error === undefined
  return {
    ...run,
    ok: isOk,
    errorCode: isOk ? undefined : errorData(call.error).code,
    cost: call.cost,
    ...endOf(call, isOk),
  }
}
