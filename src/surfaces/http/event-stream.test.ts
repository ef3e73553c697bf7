// Readers that do not read: what waits for them is bounded, they are let go, and nobody else notices.
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEventStream, readerLimits } from './event-stream.ts'
import { servedCrib } from './fixtures/served-crib.ts'

const piece = 'x'.repeat(65_536)

describe('a client that does not read its events', () => {
  it('is let go once it has taken nothing for some pings', async () => {
    let isGone = false
    const stream = openEventStream(
      () => {
        isGone = true
      },
      { ...readerLimits, pingMs: 10 },
    )
    stream.send('log', piece)
    await expect.poll(() => isGone, { timeout: 30_000 }).toBe(true)
    await expect(stream.response.text()).rejects.toThrow('does not read')
    stream.send('log', 'nobody hears this')
    stream.close()
  })

  it('is let go when more than the limit waits, whatever the time', async () => {
    let isGone = false
    const stream = openEventStream(
      () => {
        isGone = true
      },
      { ...readerLimits, mostWaitingBytes: 1_000_000 },
    )
    let sent = 0
    while (!isGone && sent < 100) {
      stream.send('log', piece)
      sent++
    }
    expect(isGone).toBe(true)
    expect(sent * piece.length).toBeLessThan(1_000_000 + 3 * piece.length)
    await expect(stream.response.text()).rejects.toThrow('does not read')
  })

  it('is not confused with one that reads, however much that is', async () => {
    let isGone = false
    const stream = openEventStream(
      () => {
        isGone = true
      },
      { ...readerLimits, pingMs: 5, mostWaitingBytes: 200_000 },
    )
    const text = stream.response.text()
    for (let n = 0; n < 50; n++) {
      stream.send('log', piece)
      await turn()
    }
    stream.close()
    expect((await text).match(/^event: log$/gm)).toHaveLength(50)
    expect(isGone).toBe(false)
  })

  it('over HTTP: its call is stopped, and other clients are answered meanwhile', {
    timeout: 120_000,
  }, async () => {
    const served = await servedCrib()
    let stopped = false
    let sentBytes = 0
    served.crib.addTool({
      id: 'talker',
      fn: async (_params, attempt) => {
        for (; !attempt.signal.aborted; await turn()) {
          attempt.progress({ done: sentBytes, message: piece })
          sentBytes += piece.length
        }
        stopped = true
      },
    })
    served.crib.addTool({ id: 'short', fn: () => 'fine' })
    const { port, hostname } = new URL(served.url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.pause()
    socket.write(
      `POST /api/tools/talker/call HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${served.token}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    )
    await expect.poll(() => sentBytes, { timeout: 60_000 }).toBeGreaterThan(0)
    expect((await served.ask('POST', '/api/tools/short/call', {})).body).toMatchObject({ value: 'fine' })
    await expect.poll(() => stopped, { timeout: 60_000 }).toBe(true)
    socket.resume()
    await closed
    // What the limit lets wait, and what the sockets of a loopback connection hold besides.
    expect(sentBytes).toBeLessThan(readerLimits.mostWaitingBytes + 64 * 1024 * 1024)
    expect((await served.ask('POST', '/api/tools/short/call', {})).body).toMatchObject({ value: 'fine' })
  })
})
