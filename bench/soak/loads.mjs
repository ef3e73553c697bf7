// What happens to a served crib during a soak. Every load goes on until the signal fires; what fails is counted.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { calls } from './make-soak-crib.mjs'
import { familyOf } from './sample.mjs'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } },
}

/** `soak` is `{ url, mcp, token, pid, files, stdio, signal, pace, count(what), timed(ms) }`. */
export const loads = { overHttp, overStdio, comers, edits, restarts, storms }

/** Calls of every format over HTTP, one of them with wrong parameters. */
async function overHttp(soak) {
  for (let n = 0; !soak.signal.aborted; n++) {
    const [id, params] = calls[n % calls.length]
    const started = performance.now()
    const outcome = await post(soak, `${soak.url}/api/tools/${id}/call`, { params })
    soak.timed(performance.now() - started)
    soak.count(outcome.ok ? 'calls over HTTP' : refusal(outcome))
    await pause(soak, 20)
  }
}

/** One that says that there is no such tool says why, in its detail. */
function refusal({ error, code, detail = '' }) {
  return `refused: ${error?.code ?? code} ${detail}`.trimEnd()
}

async function overStdio(soak) {
  while (!soak.signal.aborted) {
    await soak.stdio.call('code_8', { a: 1 })
    soak.count('calls over stdio')
    await pause(soak, 50)
  }
}

/** Clients of the older era that begin a session and leave without a goodbye. */
async function comers(soak) {
  while (!soak.signal.aborted) {
    await post(soak, soak.mcp, initialize)
    soak.count('clients that came and went')
    await pause(soak, 200)
  }
}

/** A tool file that changes and changes back: its workers are replaced, and against the lock it drifts. */
async function edits({ files, signal, count, ...soak }) {
  const { file } = files.find(({ kind }) => kind === 'py')
  const text = readFileSync(file, 'utf8')
  while (!signal.aborted) {
    writeFileSync(file, text.replace('total = 0', 'total = 1'))
    count('edits of a tool')
    await pause({ ...soak, signal }, 3_000)
    writeFileSync(file, text)
    await pause({ ...soak, signal }, 3_000)
  }
}

/** The foreign server dies in the middle of its work. */
async function restarts(soak) {
  while (!soak.signal.aborted) {
    await pause(soak, 15_000)
    const server = familyOf(soak.pid).find((pid) => isServer(pid))
    if (server === undefined) continue
    process.kill(server, 'SIGKILL')
    soak.count('kills of the foreign server')
  }
}

function isServer(pid) {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${process.execPath}\0`) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sdk-v1-stdio.mjs')
    )
  } catch {
    return false
  }
}

/** Two hundred breadcrumbs at once, now and then. */
async function storms(soak) {
  while (!soak.signal.aborted) {
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        post(soak, `${soak.url}/breadcrumbs`, {
          schema_name: 'soak.note.v1',
          title: `Note ${n}`,
          tags: ['soak'],
          context: { n, text: 'x'.repeat(200) },
          ttl: new Date(Date.now() + 60_000).toISOString(),
        }),
      ),
    )
    soak.count('storms of 200 events')
    await pause(soak, 10_000)
  }
}

/** Sessions that are opened and never used again. */
export async function idleSessions(soak, many) {
  for (let n = 0; n < many && !soak.signal.aborted; n += 50)
    await Promise.all(Array.from({ length: 50 }, () => post(soak, soak.mcp, initialize)))
}

/** A connection that breaks is counted and tried again by the next call; a server that is gone ends the soak. */
async function post(soak, url, body) {
  try {
    return await exchange(soak, url, body)
  } catch (error) {
    if (soak.signal.aborted || isAlive(soak.pid)) {
      soak.count(`broken: ${error.cause?.code ?? error.message}`)
      return { ok: false, code: 'broken' }
    }
    throw new Error('The server is gone.', { cause: error })
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function exchange({ token }, url, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: url.includes('/mcp') ? 'application/json, text/event-stream' : 'application/json',
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : { ok: answer.ok }
}

const pause = ({ signal, pace }, ms) => delay(ms * pace, undefined, { signal }).catch(() => {})
