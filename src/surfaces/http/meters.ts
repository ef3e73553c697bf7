// The meters of one server, by the Prometheus library. Labels are bounded: formats, surfaces and error codes, never tool ids.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Crib } from '../../crib/crib.ts'
import { addFleetMetrics } from './fleet-metrics.ts'
import type { FinishedCall, MetricsPage } from './metrics.ts'

export interface Meters {
  page(): Promise<MetricsPage>
  run(call: FinishedCall): void
  request(method: string, status: number): void
}

export function makeMeters(crib: Crib): Meters {
  const register = new Registry()
  collectDefaultMetrics({ register, prefix: 'toolcrib_' })
  const calls = new Counter({
    name: 'toolcrib_calls_total',
    help: 'Finished calls by format, surface and error code (ok when there is none).',
    labelNames: ['format', 'surface', 'code'],
    registers: [register],
  })
  const seconds = new Histogram({
    name: 'toolcrib_call_duration_seconds',
    help: 'Time a call took, all guards included.',
    labelNames: ['format'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers: [register],
  })
  const requests = new Counter({
    name: 'toolcrib_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'status'],
    registers: [register],
  })
  new Gauge({
    name: 'toolcrib_calls_running',
    help: 'Calls in progress.',
    registers: [register],
    collect() {
      this.set(crib.kernel.running.length)
    },
  })
  new Gauge({
    name: 'toolcrib_tools',
    help: 'Tools that are listed.',
    registers: [register],
    collect() {
      this.set(crib.list().length)
    },
  })
  new Gauge({
    name: 'toolcrib_child_processes',
    help: 'Processes started for tools and still running.',
    registers: [register],
    collect() {
      this.set(crib.supervisor.running)
    },
  })
  addFleetMetrics(register, crib)
  return {
    page: async () => ({ text: await register.metrics(), contentType: register.contentType }),
    run({ format, surface, code, ms }) {
      calls.inc({ format, surface, code })
      seconds.observe({ format }, ms / 1000)
    },
    request: (method, status) => requests.inc({ method, status: String(status) }),
  }
}
