// Prometheus metrics of one server. Their library is large and nobody waits for it: what is counted before it is
// loaded is kept until then.
import type { Crib } from '../../crib/crib.ts'
import type { Call } from '../../kernel/call.ts'
import { errorData } from '../../tool/tool-error.ts'
import type { Meters } from './meters.ts'

export interface FinishedCall {
  readonly format: string
  readonly surface: string
  /** `ok` when it has no error. */
  readonly code: string
  readonly ms: number
}

export interface MetricsPage {
  readonly text: string
  readonly contentType: string
}

export interface Metrics {
  page(): Promise<MetricsPage>
  request(method: string, status: number): void
  /** Loads what it counts with. */
  warmUp(): Promise<unknown>
  close(): void
}

export function openMetrics(crib: Crib): Metrics {
  let meters: Meters | undefined
  let loading: Promise<Meters> | undefined
  let early: ((meters: Meters) => void)[] = []
  const load = (): Promise<Meters> => {
    loading ??= import('./meters.ts').then(({ makeMeters }) => {
      meters = makeMeters(crib)
      for (const note of early) note(meters)
      early = []
      return meters
    })
    return loading
  }
  const onRun = (call: Call) => {
    const finished: FinishedCall = {
      format: call.tool.format,
      surface: call.principal.surface,
      code: call.error === undefined ? 'ok' : errorData(call.error).code,
      ms: call.elapsedMs(),
    }
    if (meters) meters.run(finished)
    else early.push((late) => late.run(finished))
  }
  crib.on('run', onRun)
  return {
    page: async () => (await load()).page(),
    request(method, status) {
      if (meters) meters.request(method, status)
      else early.push((late) => late.request(method, status))
    },
    warmUp: load,
    close: () => {
      crib.off('run', onRun)
    },
  }
}
