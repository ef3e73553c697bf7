// One call's way through the guards as a strip. Three tenses, one picture: before the call from the kernel's own list of
// checks, while it runs from the run, afterwards from its record.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Enforcement, Permit as PermitAnswer, Profile, RunGuard, Span } from '../api/types.ts'
import { say, sayKnown, type Text } from '../words/say.ts'
import { Icon } from './icon.tsx'
import { layoutSpans } from './layout-spans.ts'
import { duration } from './time.tsx'
import { withinCrib } from './within-crib.ts'

export type Verdict = 'asks' | 'passed' | 'unproven' | 'would-stop' | 'waiting' | 'stopped' | 'now' | 'ahead'

export interface PermitStop {
  readonly name: string
  readonly verdict: Verdict
  readonly sentence: string
  /** Spent there, without what ran inside. */
  readonly ms?: number
  /** What opens it. */
  readonly fix?: ComponentChildren
}

/** Guards a reader need not know of, unless they have something to say. */
const silent = new Set([
  'held',
  'set-aside',
  'halted',
  'trace',
  'ready',
  'retry',
  'fleet-slot',
  'delegate',
  'compose',
])

const quietVerdicts = new Set<Verdict>(['passed', 'ahead', 'unproven', 'asks'])

export function Permit({ stops, fence }: { stops: readonly PermitStop[]; fence?: ComponentChildren }) {
  const shown = stops.filter(
    ({ name, verdict }) => !silent.has(name) || verdict === 'would-stop' || verdict === 'stopped',
  )
  const loud = shown.findIndex(({ verdict }) => !quietVerdicts.has(verdict))
  const [picked, setPicked] = useState<string | null>(null)
  const open = shown.find(({ name }) => name === picked) ?? shown[loud]
  return (
    <div class="permit">
      <ol class="permit-strip" aria-label={say('Guards')}>
        {shown.map((stop) => (
          <li key={stop.name} data-verdict={stop.verdict}>
            <button
              type="button"
              aria-pressed={stop === open}
              onClick={() => setPicked(stop.name === picked ? null : stop.name)}
            >
              <span class="permit-mark" aria-hidden="true">
                {stop.verdict === 'passed' && <Icon name="check" />}
                {(stop.verdict === 'would-stop' || stop.verdict === 'stopped') && <Icon name="cross" />}
                {stop.verdict === 'waiting' && <Icon name="clock" />}
                {stop.verdict === 'now' && <span class="spinner" />}
              </span>
              <span>{titleOf(stop.name)}</span>
              <span class="unseen">: {say(verdictWords[stop.verdict])}</span>
              {stop.ms !== undefined && stop.ms >= 1 && <small>{duration(stop.ms)}</small>}
            </button>
          </li>
        ))}
      </ol>
      {open && (
        <div class="permit-detail" data-verdict={open.verdict} role="status">
          <p>
            <strong>{titleOf(open.name)}.</strong> {open.sentence}
          </p>
          {open.fix}
          {open.name === 'fence' && fence}
        </div>
      )}
    </div>
  )
}

const verdictWords: { readonly [verdict in Verdict]: Text } = {
  asks: 'waits for input',
  passed: 'passes',
  unproven: 'not held by the system',
  'would-stop': 'would stop the call',
  waiting: 'waits for a person',
  stopped: 'stopped the call',
  now: 'here now',
  ahead: 'not reached',
}

const stopTitles: { readonly [name: string]: Text } = {
  ready: 'Ready',
  held: 'Held',
  'set-aside': 'Set aside',
  halted: 'Halt',
  trust: 'Trust',
  lock: 'Lock',
  grants: 'Grants',
  'allowed-tools': 'Allowed tools',
  params: 'Parameters',
  config: 'Settings',
  secrets: 'Secrets',
  approve: 'Approval',
  limits: 'Limits',
  fence: 'Fence',
  execute: 'Tool',
  effects: 'Effects',
  returns: 'Result',
}

const questions: { readonly [name: string]: Text } = {
  ready: 'The tool is able to run.',
  trust: 'Who vouches for it is known and accepted.',
  lock: 'It is what was approved.',
  grants: 'It may do what it needs.',
  'allowed-tools': 'This caller may call it.',
  params: 'The parameters fit.',
  config: 'Its settings are complete.',
  secrets: 'It gets the secrets it names.',
  approve: 'No person has to agree.',
  limits: 'Time, memory and calls at once are bounded.',
  fence: 'What the process can touch is bounded.',
  execute: 'The tool runs.',
  effects: 'What it changed is judged and kept or held.',
  returns: 'The result is what was promised.',
}

function titleOf(name: string): string {
  const title = stopTitles[name]
  return title ? say(title) : sayKnown(name)
}

function questionOf(name: string): string {
  return say(questions[name] ?? 'Nothing to say.')
}

/** Before the call: what each guard would say. `fixOf` gives the button for what stops. */
export function stopsBefore(
  permit: PermitAnswer,
  fixOf: (refusal: PermitAnswer['stops'][number]['refusals'][number]) => ComponentChildren,
): PermitStop[] {
  const stops = permit.stops.map(({ name, kind, verdict, refusals }): PermitStop => {
    const [first] = refusals
    if (verdict === 'waits')
      return { name, verdict: 'waiting', sentence: say('A person is asked before it runs.') }
    // Green is for what is proven: what surrounds the tool can only show itself in the call.
    if (!first) return { name, verdict: kind === 'check' ? 'passed' : 'ahead', sentence: questionOf(name) }
    return { name, verdict: 'would-stop', sentence: first.message, fix: fixOf(first) }
  })
  return ordered(stops, permit.fence.expected === 'enforced')
}

/** While the call runs. */
export function stopsDuring(guards: readonly RunGuard[], isWaiting: boolean): PermitStop[] {
  return ordered(
    guards.map(({ name, state }): PermitStop => {
      if (state === 'now' && name === 'approve' && isWaiting)
        return { name, verdict: 'waiting', sentence: say('Waits for a person.') }
      const verdict =
        state === 'stopped' ? 'stopped' : state === 'now' ? 'now' : state === 'ahead' ? 'ahead' : 'passed'
      return { name, verdict, sentence: questionOf(name) }
    }),
  )
}

const known = [
  'trust',
  'lock',
  'grants',
  'allowed-tools',
  'params',
  'config',
  'secrets',
  'approve',
  'limits',
  'execute',
  'effects',
  'returns',
]
const stoppedLater: { readonly [code: string]: string } = {
  RESULT_INVALID: 'returns',
  TIMEOUT: 'limits',
  MEMORY_LIMIT: 'limits',
  OUTPUT_TOO_LARGE: 'limits',
  SANDBOX_UNAVAILABLE: 'fence',
}

/** After the call, from its record: everything before the stop was passed. */
export function stopsAfter(run: {
  readonly ok?: boolean
  readonly errorCode?: string
  readonly stoppedAt?: string
  readonly spans: readonly Span[]
  readonly enforcement?: Enforcement
}): PermitStop[] {
  const at = run.ok ? undefined : (stoppedLater[run.errorCode ?? ''] ?? run.stoppedAt)
  const names = at !== undefined && !known.includes(at) && at !== 'fence' ? [at, ...known] : known
  const held = Object.values(run.enforcement?.dimensions ?? {})
  const stops = ordered(
    names.map((name): PermitStop => ({ name, verdict: 'passed', sentence: questionOf(name) })),
    held.length > 0 && held.every((each) => each === 'enforced'),
  )
  const index = stops.findIndex(({ name }) => name === at)
  const spans = layoutSpans(run.spans)
  return stops.map((stop, place) => {
    const ms = spans.find(({ name }) => name === stop.name)?.ownMs
    if (index < 0 || place < index) return { ...stop, ms }
    if (place > index) return { ...stop, verdict: 'ahead', sentence: say('Not reached.') }
    return { ...stop, ms, verdict: 'stopped', sentence: run.errorCode ?? '' }
  })
}

/** What looks at what the tool did. */
const afterTool = ['effects', 'returns']

/** The fence stands before the tool; what it did is judged after it. */
function ordered(stops: readonly PermitStop[], isHeld = false): PermitStop[] {
  const last = afterTool.flatMap((after) => stops.filter(({ name }) => name === after))
  const rest = stops.filter(({ name }) => !afterTool.includes(name))
  const at = rest.findIndex(({ name }) => name === 'execute')
  const tool = rest[at]
  if (!tool) return [...rest, ...last]
  const fence: PermitStop = {
    name: 'fence',
    verdict: isHeld ? 'passed' : tool.verdict === 'ahead' ? 'ahead' : 'unproven',
    // Green is for what is proven: a tool in the crib's own process has no wall round it.
    sentence: isHeld ? questionOf('fence') : say('No wall of the system is known to stand round it.'),
  }
  return [...rest.slice(0, at), fence, ...rest.slice(at), ...last]
}

/** What is allowed, and how far that is really held. */
export function FenceTable({ profile, enforcement, expected }: FenceTableProps) {
  const dimensions = enforcement?.dimensions ?? {}
  // Nothing is said of what nobody knows.
  const isKnown = enforcement !== undefined || expected !== undefined
  const rows = profile
    ? allowedRows(profile)
    : Object.keys(dimensions).map((name) => ({ name, keys: [name], allowed: '' }))
  return (
    <table class="fence-table">
      <thead>
        <tr>
          <th scope="col">{say('What')}</th>
          {profile && <th scope="col">{say('Allowed')}</th>}
          {isKnown && <th scope="col">{enforcement ? say('Was enforced') : say('Expected here')}</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, keys, allowed }) => {
          const held =
            keys.map((key) => dimensions[key]).find((each) => each !== undefined) ?? expected ?? 'in-process'
          return (
            <tr key={name}>
              <th scope="row">{sayKnown(name)}</th>
              {profile && <td>{allowed}</td>}
              {isKnown && <td data-held={held}>{sayKnown(held)}</td>}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

interface FenceTableProps {
  readonly profile?: Profile
  readonly enforcement?: Enforcement
  readonly expected?: string
}

function allowedRows({ network, read, write, subprocess, memoryMb, processes }: Profile) {
  const hosts = network.mode === 'none' ? [] : network.hosts
  return [
    {
      name: say('Network'),
      keys: ['network', 'net'],
      allowed:
        network.mode === 'none'
          ? say('none')
          : [network.mode === 'public' ? say('public addresses') : '', ...hosts].join(' '),
    },
    {
      name: say('Reads'),
      keys: ['read', 'fs.read'],
      allowed: read.map(withinCrib).join(', ') || say('its own files only'),
    },
    {
      name: say('Writes'),
      keys: ['write', 'fs.write'],
      allowed: write.map(withinCrib).join(', ') || say('nothing'),
    },
    {
      name: say('Programs'),
      keys: ['subprocess', 'programs'],
      allowed: subprocess ? say('may start programs') : say('none'),
    },
    {
      name: say('Memory'),
      keys: ['memory'],
      allowed: say('{mb} MB, {n} processes', { mb: memoryMb, n: processes }),
    },
  ]
}
