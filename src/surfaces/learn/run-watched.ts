// Runs calls of one tool in a crib of their own, watched: with the grants it has, or with exactly those that are given.
// What the calls write is thrown away, what they store is a rehearsal, and no denial is kept as a proposal.
import type { Crib } from '../../crib/crib.ts'
import { type CribOptions, openCrib } from '../../crib/open-crib.ts'
import { shapeOf } from '../../runs/shape-of.ts'
import type { Access } from '../../sandbox/access/access.ts'
import { Tracer } from '../../sandbox/access/tracer.ts'
import { onlyThese } from '../../sandbox/tool-grants.ts'
import { canonicalJson } from '../../tool/json.ts'
import type { Outcome } from '../../tool/outcome.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Example, Tool } from '../../tool/tool.ts'
import { judgeExample } from '../examples/run-examples.ts'

/** A call that is made to watch it. */
export interface LearnCall {
  readonly name: string
  readonly params: unknown
  /** What it must come to, where an example says so. */
  readonly example?: Example | undefined
  readonly approved: boolean
}

/** How a call ended, as far as two of them are compared. */
export interface CallEnd {
  readonly name: string
  readonly ok: boolean
  /** Why it failed, or what it gave, in one line. */
  readonly said: string
  readonly code?: string | undefined
  /** False: not as its example says. */
  readonly isAsExpected: boolean
  /** It failed, and no example says that it does. */
  readonly isFailure: boolean
  readonly value: string
  readonly shape: string
  readonly effects: string
}

export interface WatchOrder {
  /** How the crib is opened otherwise. */
  readonly crib: CribOptions
  /** Id of the tool. */
  readonly tool: string
  readonly calls: readonly LearnCall[]
  readonly runs: number
  /** Exactly these grants; absent: those it has. */
  readonly grants?: readonly string[] | undefined
  /** Path of strace; absent: files and programs are not watched. */
  readonly strace?: string | undefined
  readonly principal: Principal
  readonly signal: AbortSignal
}

export interface Watched {
  /** Of the calls, for each run. */
  readonly ends: readonly (readonly CallEnd[])[]
  readonly accesses: readonly Access[]
  /** False: it started no process that could be traced, or the trace could not be read. */
  readonly isTraced: boolean
}

/** Different things of one tool that are told apart. */
const maxSeen = 20_000

export async function runWatched(order: WatchOrder): Promise<Watched> {
  const { crib: options, tool, strace, grants } = order
  const seen = new Map<string, Access>()
  const tracer = strace === undefined ? undefined : new Tracer(strace)
  const exact = grants && { grants: { tools: { [tool]: [onlyThese, ...grants] } } }
  const crib = await openCrib({
    ...options,
    ...(exact && { config: exact }),
    watch: {
      tracer,
      onAccess: (id, access) => {
        if (id === tool && seen.size < maxSeen) seen.set(canonicalJson(access), access)
      },
    },
  })
  const ends: CallEnd[][] = []
  try {
    for (let run = 0; run < order.runs; run++) {
      const rehearsal = crib.crumbs.rehearse()
      const own: CallEnd[] = []
      for (const call of order.calls) {
        const outcome = await crib.call(tool, call.params, {
          principal: order.principal,
          signal: order.signal,
          approved: call.approved,
          // What runs inside this process has no layer to throw away.
          effects: isInHost(crib, crib.find(tool)) ? undefined : 'discard',
          rehearsal,
        })
        own.push(endOf(call, outcome))
        if (!outcome.ok && limitCodes.has(outcome.error.code))
          seen.set(outcome.error.code, { kind: 'limit', what: outcome.error.code, isDenied: true })
      }
      await rehearsal.close()
      ends.push(own)
    }
  } finally {
    await crib.close()
  }
  await tracer?.settled()
  return {
    ends,
    accesses: [...seen.values()],
    isTraced: tracer !== undefined && tracer.starts > tracer.unread,
  }
}

/** Whether a tool is code that runs inside this process: a code skill that somebody vouches for, or one that delegates. */
export function isInHost(crib: Crib, tool: Tool): boolean {
  return [undefined, 'skill', 'function'].includes(tool.runtime?.name) && crib.runsInHost(tool)
}

const limitCodes = new Set(['TIMEOUT', 'MEMORY_LIMIT', 'OUTPUT_TOO_LARGE'])

function endOf({ name, example }: LearnCall, outcome: Outcome): CallEnd {
  const { effects } = outcome
  const value = outcome.ok ? (outcome.value ?? null) : null
  const isAsExpected = example === undefined || judgeExample(example, outcome, false).ok
  return {
    name,
    ok: outcome.ok,
    code: outcome.ok ? undefined : outcome.error.code,
    said: outcome.ok ? 'ok' : `${outcome.error.code}: ${lastLine(outcome.error.message)}`,
    isAsExpected,
    isFailure: !outcome.ok && !(example && isAsExpected),
    value: canonicalJson(value),
    shape: canonicalJson(shapeOf(value)),
    effects: `${effects?.added ?? 0} ${effects?.changed ?? 0} ${effects?.deleted ?? 0}`,
  }
}

/** Of a stack trace the end says what happened. */
function lastLine(message: string): string {
  return message.trim().split('\n').at(-1)!.trim().slice(0, 200)
}
