// Whether this node should get requests: it is not closing, and its store and bus answer.
import type { Hono } from 'hono'
import { version } from '../../../config/version.ts'
import type { Crib } from '../../../crib/crib.ts'
import type { HttpEnv } from '../principals.ts'
import { HttpProblem } from '../problem-json.ts'

/** A store that does not answer within this time is not ready. */
const patienceMs = 3_000

/** What is asked without a token is worked out at most this often. */
const keepMs = 1_000

/**
 * `/healthz` says that the process answers; `/healthz?ready` says, to balancers that have no token, whether it should
 * get requests, and nothing else.
 */
export function mountHealth(app: Hono<HttpEnv>, crib: Crib, isDraining: () => boolean): void {
  let asked: { readonly atMs: number; readonly isWell: Promise<boolean> } | null = null
  const isWell = (): Promise<boolean> => {
    if (!asked || performance.now() - asked.atMs > keepMs)
      asked = {
        atMs: performance.now(),
        isWell: inTime(crib.crumbs.faults()).then((faults) => Object.keys(faults).length === 0),
      }
    return asked.isWell
  }
  app.get('/healthz', async (context) => {
    if (context.req.query('ready') === undefined) return context.json({ ok: true, version: version() })
    if (isDraining() || !(await isWell()))
      throw new HttpProblem(503, 'NOT_READY', 'This node takes no requests now.', {
        hint: 'GET /readyz says why; it needs a token.',
      })
    return context.json({ ok: true, version: version() })
  })
}

export function mountReadiness(app: Hono<HttpEnv>, crib: Crib, isDraining: () => boolean): void {
  app.get('/readyz', async (context) => {
    if (isDraining()) throw new HttpProblem(503, 'BUSY', 'The server is closing.')
    const faults = await inTime(crib.crumbs.faults())
    const reasons = Object.values(faults)
    if (reasons.length > 0) throw new HttpProblem(503, 'NOT_READY', reasons.join(' '), { details: faults })
    return context.json({ ok: true, tools: crib.list().length })
  })
}

async function inTime(
  work: Promise<{ readonly [part: string]: string }>,
): Promise<{ readonly [part: string]: string }> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<{ readonly [part: string]: string }>((resolve) => {
    timer = setTimeout(resolve, patienceMs, {
      store: `The store or the bus did not answer within ${patienceMs} ms.`,
    })
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
