// The floor of a warm call: one JSON line to a child that stays, one line back.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export const pythonEcho =
  'import sys, json\nfor line in sys.stdin:\n    params = json.loads(line)\n    sys.stdout.write(json.dumps({"success": True, "data": params}) + "\\n")\n    sys.stdout.flush()\n'
export const nodeEcho =
  'require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => process.stdout.write(JSON.stringify({ success: true, data: JSON.parse(line) }) + "\\n"))'

/** A child that answers line by line; `ask` is one round trip, made one after the other. */
export function lineChild(program, args) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()(JSON.parse(line)))
  return {
    ask: (value) =>
      new Promise((resolve) => {
        waiting.push(resolve)
        child.stdin.write(`${JSON.stringify(value)}\n`)
      }),
    close: () => child.kill(),
  }
}

/** The 50th percentile of `count` awaited calls, in microseconds; what is done `before` each is not counted. */
export async function medianCall(count, call, before) {
  const times = new Float64Array(count)
  for (let index = 0; index < count; index++) {
    before?.()
    const started = performance.now()
    await call(index)
    times[index] = performance.now() - started
  }
  return times.sort()[count >> 1] * 1000
}
