import { describe, expect, it } from 'vitest'
import { proves } from '../../test/helpers/proves.ts'
import type { Progress } from '../tool/outcome.ts'
import { LogLines, parseProgress } from './log-lines.ts'

function feed(...chunks: (string | Buffer)[]) {
  const logs: string[] = []
  const progress: Progress[] = []
  const lines = new LogLines(
    { log: (_, message) => logs.push(message), progress: (step) => progress.push(step) },
    'info',
  )
  for (const chunk of chunks) lines.take(Buffer.from(chunk))
  lines.end()
  return { logs, progress, tail: lines.tail }
}

describe('LogLines', () => {
  it('joins what arrives in pieces, also inside a character', () => {
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
    expect(feed('a', 'b\r\n\nc', first, second).logs).toEqual(['ab', 'cé'])
  })

  it('counts progress as output: a flood of it ends too, and its text is cut', () => {
    proves('limit-output')
    const flood = `::progress 1/2 ${'x'.repeat(2_000)}\n`.repeat(4_000)
    const { logs, progress } = feed(flood)
    expect(progress.length).toBeLessThan(2_200)
    expect(progress[0]!.message).toHaveLength(1_000)
    expect(logs).toHaveLength(1)
  })

  it('cuts long lines and drops the rest of a flood', () => {
    const { logs } = feed('x'.repeat(40_000), '\n', `${'y'.repeat(10_000)}\n`.repeat(1_000))
    expect(logs[0]).toMatch(/^x{16384} \[line cut\]$/)
    expect(logs.at(-1)).toContain('dropped')
    expect(logs.join('').length).toBeLessThan(4_300_000)
  })

  it('keeps the end for error messages', () => {
    expect(feed('start\n', 'z'.repeat(10_000), '\nend').tail).toMatch(/z\nend$/)
  })
})

describe('parseProgress', () => {
  it.each([
    ['::progress 1/2 half', { done: 1, total: 2, message: 'half' }],
    ['::progress 0.5', { done: 0.5 }],
    ['::progress 3 three of many', { done: 3, message: 'three of many' }],
    ['::progress x', undefined],
    [' ::progress 1', undefined],
    ['::progress', undefined],
  ])('reads %j', (line, expected) => {
    expect(parseProgress(line)).toEqual(expected)
  })
})
