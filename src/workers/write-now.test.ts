import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { writeNow } from './write-now.ts'

let child: ChildProcess | undefined
afterEach(() => void child?.kill('SIGKILL'))

/** A child with a pipe both ways, as workers have it. */
function start(script: string): Duplex {
  child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] })
  const channel = child.stdio[3] as Duplex
  channel.on('error', () => {})
  return channel
}

it('keeps the order of small and of huge messages, whatever fits into the pipe', async () => {
  const channel = start('sleep 0.2; exec cat <&3')
  const messages = Array.from(
    { length: 60 },
    (_, n) => `${n} é\u{1f600}${'x'.repeat(n % 7 === 0 ? 300_000 : 3)}\n`,
  )
  for (const [n, message] of messages.entries()) {
    if (n % 5 === 4) channel.write(message)
    else writeNow(channel, message)
    if (n % 10 === 9) await new Promise((resolve) => setImmediate(resolve))
  }
  channel.end()
  expect((await text(child!.stdout!)) === messages.join('')).toBe(true)
})

it('loses nothing where the pipe takes as many bytes as the message has letters', async () => {
  const probe = start('exec sleep 60')
  const huge = 'x'.repeat(4_000_000)
  writeNow(probe, huge)
  const taken = huge.length - probe.writableLength
  child!.kill('SIGKILL')
  probe.destroy()
  const channel = start('sleep 0.2; exec cat <&3')
  const message = 'é'.repeat(taken)
  writeNow(channel, message)
  channel.end()
  expect((await text(child!.stdout!)) === message).toBe(true)
})

it('hands a small message over before it returns', () => {
  const channel = start('exec cat <&3')
  writeNow(channel, 'hello\n')
  expect(channel.writableLength).toBe(0)
})

it('leaves it to the stream to say that nobody reads any more', async () => {
  const channel = start('exec 3<&- sleep 60')
  await expect
    .poll(() => {
      writeNow(channel, 'hello\n')
      return channel.destroyed
    })
    .toBe(true)
  expect(() => writeNow(channel, 'hello\n')).not.toThrow()
})
