// Loopback ports, and a proxy on one that can be cut.
import { connect, createServer } from 'node:net'

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Resolves once somebody listens. */
export async function untilOpen(port) {
  for (;;) {
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Passes connections on. `cut()` breaks all that are open, `refuse(true)` lets none in. */
export async function startProxy(target) {
  const pairs = new Set()
  let isRefusing = false
  const server = createServer((inner) => {
    if (isRefusing) return inner.destroy()
    const outer = connect(target, '127.0.0.1')
    const pair = [inner, outer]
    pairs.add(pair)
    const drop = () => {
      inner.destroy()
      outer.destroy()
      pairs.delete(pair)
    }
    for (const socket of pair) {
      socket.setNoDelay(true)
      socket.on('error', drop)
      socket.on('close', drop)
    }
    inner.pipe(outer)
    outer.pipe(inner)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    return pairs.size
  }
  return {
    port: server.address().port,
    cut,
    refuse(value) {
      isRefusing = value
      if (value) cut()
    },
    close() {
      cut()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
