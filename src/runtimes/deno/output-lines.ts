// What a worker writes to its standard streams, line by line.
import type { Readable } from 'node:stream'

/** Calls back for each line that is not empty; of one that is longer than the limit only the beginning is told. */
export function onLines(stream: Readable, maxLine: number, tell: (line: string) => void): void {
  let rest = ''
  let isTold = false
  const end = (line: string) => {
    if (line !== '' && !isTold) tell(line)
    isTold = false
  }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) end(line)
    if (!isTold && rest.length > maxLine) {
      tell(rest)
      isTold = true
    }
    if (isTold) rest = ''
  })
  stream.on('end', () => end(rest))
}

/** Standard error may still hold the announced exit when the process is already gone. */
export function drained(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 200)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    stream.once('end', done)
    stream.once('close', done)
  })
}
