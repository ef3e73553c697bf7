// GET /api/runs/{id}/events: a run as it happens, from its start. What was sent is told by the ids of the events, so a
// client that lost its connection goes on where it was, also when the run has ended meanwhile.
import type { Crib } from '../../crib/crib.ts'
import type { Call } from '../../kernel/call.ts'
import { outcomeOf } from '../../kernel/outcome.ts'
import { guardsOf, type RunDetail, runningDetail } from '../../runs/run-history.ts'
import type { Outcome } from '../../tool/outcome.ts'
import { jsonOutcome } from '../outcome-json.ts'
import { type EventStream, openEventStream, readerLimits } from './event-stream.ts'

/** How often a run in progress is looked at: nothing in the way of a call waits for whoever watches it. */
const lookMs = 100

/** How much of a run somebody has seen. */
interface Seen {
  logs: number
  spans: number
  children: number
  text: number
}

/** What a run says of itself now. */
type Look = Pick<RunDetail, 'logs' | 'spans' | 'text'> & { readonly children: readonly ChildRun[] }

interface ChildRun {
  readonly runId: string
  readonly tool: string
}

/** A run that is over: all of it at once, without what the client has seen. */
export function finishedRunEvents(run: RunDetail, lastId: string | null): Response {
  const stream = openEventStream(() => {}, { ...readerLimits, mostWaitingBytes: Infinity })
  const { outcome, logs, spans, guards: _, ...summary } = run
  const teller = new Teller(stream, seenOf(lastId))
  teller.send('state', { ...summary, state: 'finished' })
  teller.tell({ logs, spans, children: [] })
  teller.end(outcome)
  stream.close()
  return stream.response
}

/** A run in progress. */
export function runningRunEvents(crib: Crib, call: Call, lastId: string | null): Response {
  let guard = ''
  let progress: unknown
  const children: ChildRun[] = []
  const isKnown = (id: string) => children.some(({ runId }) => runId === id)
  const look = () => {
    for (const each of crib.kernel.running)
      if (each.parent === call && !isKnown(each.id)) children.push({ runId: each.id, tool: each.tool.id })
    const way = JSON.stringify(guardsOf(call))
    if (way !== guard) {
      guard = way
      teller.send('guard', { guards: guardsOf(call), atMs: Math.round(call.elapsedMs()) })
    }
    teller.tell({ logs: call.logs, spans: call.spans, text: call.said, children })
    if (call.lastProgress === progress) return
    progress = call.lastProgress
    teller.send('progress', progress)
  }
  const leave = () => {
    clearInterval(timer)
    crib.off('run', onRun)
  }
  const onRun = (ended: Call) => {
    if (ended.parent === call && !isKnown(ended.id)) children.push({ runId: ended.id, tool: ended.tool.id })
    if (ended !== call) return
    leave()
    look()
    teller.end(jsonOutcome(outcomeOf(call)).outcome)
    stream.close()
  }
  const stream = openEventStream(leave)
  const teller = new Teller(stream, seenOf(lastId))
  const { logs: _logs, spans: _spans, guards: _guards, ...summary } = runningDetail(call)
  teller.send('state', summary)
  const timer = setInterval(look, lookMs)
  timer.unref()
  crib.on('run', onRun)
  look()
  return stream.response
}

/** Sends what is new, each event with the id that says how much was sent. */
class Teller {
  readonly #stream: EventStream
  readonly #seen: Seen

  constructor(stream: EventStream, seen: Seen) {
    this.#stream = stream
    this.#seen = seen
  }

  tell({ logs, spans, children, text = '' }: Look): void {
    const seen = this.#seen
    while (seen.children < children.length) this.send('child', children[seen.children++])
    while (seen.spans < spans.length) this.send('guard', { span: spans[seen.spans++] })
    while (seen.logs < logs.length) this.send('log', logs[seen.logs++])
    if (seen.text >= text.length) return
    const said = text.slice(seen.text)
    seen.text = text.length
    this.send('text', { text: said })
  }

  end(outcome: Outcome | undefined): void {
    if (outcome && 'effects' in outcome) this.send('effects', outcome.effects)
    this.send('outcome', outcome)
  }

  send(event: string, data: unknown): void {
    const { logs, spans, children, text } = this.#seen
    this.#stream.send(event, data, `${logs}-${spans}-${children}-${text}`)
  }
}

/** An id that is none of ours counts as none: the run is told from its start. */
function seenOf(lastId: string | null): Seen {
  const parts = /^(\d{1,9})-(\d{1,9})-(\d{1,9})-(\d{1,9})$/.exec(lastId ?? '')
  const [logs, spans, children, text] = parts ? parts.slice(1).map(Number) : [0, 0, 0, 0]
  return { logs: logs!, spans: spans!, children: children!, text: text! }
}
