// Reads a text again and again; prints milliseconds a reading of each batch, the first one first.
// `node time-reading.mjs <module of inferCode> <file> <batches>`, the text on standard input.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [module, file, batches] = process.argv.slice(2)
const { inferCode } = await import(pathToFileURL(module).href)
const text = readFileSync(0, 'utf8')

/** What this thread has had of a processor; where the system does not tell, of the clock. */
function threadMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1_000_000
  } catch {
    return performance.now()
  }
}

function perReading(readings) {
  const start = threadMs()
  for (let n = 0; n < readings; n++) inferCode(text, file)
  return (threadMs() - start) / readings
}

console.log(
  JSON.stringify([perReading(10), ...Array.from({ length: Number(batches) }, () => perReading(40))]),
)
