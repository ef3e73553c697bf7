// Watches a tool run and says which grants it needs: what it reached for, the smallest proposal, what is not proposed,
// what that changes in toolcrib.yaml, and on request the proof that nothing of it can be left out (L5–L7).
import { editSettings, type SettingsEdit } from '../../config/edit-settings.ts'
import type { Crib } from '../../crib/crib.ts'
import type { CribOptions } from '../../crib/open-crib.ts'
import type { Access } from '../../sandbox/access/access.ts'
import { hostsOf, type Proposal, proposeGrants } from '../../sandbox/access/propose-grants.ts'
import { probeTracer } from '../../sandbox/access/tracer.ts'
import { grantsFor, onlyThese } from '../../sandbox/tool-grants.ts'
import type { Finding } from '../../tool/finding.ts'
import type { Principal } from '../../tool/principal.ts'
import type { Tool } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import { sidecarExamples } from '../examples/sidecar-examples.ts'
import { saveSettings } from '../trust/save-settings.ts'
import { referenceOf } from './compare-ends.ts'
import {
  type CallEnd,
  isInHost,
  type LearnCall,
  runWatched,
  type Watched,
  type WatchOrder,
} from './run-watched.ts'
import { type Proof, verifyGrants } from './verify-grants.ts'

export interface LearnOptions {
  /** How the crib was opened. */
  readonly crib: CribOptions
  readonly calls: readonly LearnCall[]
  readonly runs: number
  /** Runs with the present grants and these; somebody at a terminal said so. */
  readonly opened: readonly string[]
  readonly isSensitiveWanted: boolean
  readonly verifies: boolean
  /** What the proposal adds may be opened to prove it. */
  readonly mayOpen: boolean
  readonly principal: Principal
  readonly signal: AbortSignal
}

export interface Learned {
  readonly tool: string
  readonly calls: readonly CallEnd[]
  readonly observed: readonly Access[]
  readonly proposal: Proposal
  readonly verified?: Proof | undefined
  /** Why every call failed, whatever is granted: nothing can be proved with failures. */
  readonly failure?: string | undefined
  /** toolcrib.yaml with exactly the proposal for this tool. */
  readonly edit: SettingsEdit
  readonly notes: readonly string[]
}

/** Most rounds in which a tool that gets further reaches for more. */
const maxRounds = 6

/** What is called to learn: the given parameters, the examples, or one call with nothing. */
export function callsOf(
  tool: Tool,
  given: { readonly params: unknown; readonly wantsExamples: boolean; readonly approved: boolean },
): LearnCall[] {
  const calls: LearnCall[] = []
  if (given.params !== undefined)
    calls.push({ name: 'the given call', params: given.params, approved: given.approved })
  if (given.wantsExamples || given.params === undefined)
    for (const [index, example] of [...tool.examples, ...sidecarExamples(tool)].entries())
      calls.push({
        name: example.title ?? `example ${index + 1}`,
        params: example.params,
        example,
        approved: true,
      })
  if (calls.length === 0 && given.wantsExamples)
    throw new ToolError('CONFLICT', `${tool.id} has no examples.`, {
      hint: `Give parameters instead: toolcrib learn ${tool.id} --params '{…}'`,
    })
  return calls.length > 0 ? calls : [{ name: 'a call with nothing', params: {}, approved: given.approved }]
}

export async function learnTool(crib: Crib, tool: Tool, options: LearnOptions): Promise<Learned> {
  const strace = probeTracer()
  await crib.formats()
  const { calls, runs, principal, signal } = options
  const base = { crib: options.crib, tool: tool.id, calls, principal, signal }
  const present = grantsFor(tool, crib.config)
  const findings = (await crib.inference()).of(tool)
  const opened = options.opened.length > 0 ? [...new Set([...present, ...options.opened])] : undefined
  const first = await runWatched({ ...base, runs, grants: opened, strace: strace.path })
  const propose = (accesses: readonly Access[]) =>
    proposeGrants(tool, accesses, {
      config: crib.config,
      spaces: crib.spaces,
      protectedSet: crib.protectedSet,
      isSensitiveWanted: options.isSensitiveWanted,
      hosts: hostsOf(findings),
    })
  for (const access of first.accesses)
    if (!access.isDenied && access.kind !== 'variable') crib.accesses.note(tool.id, access)
  const asked = new Set(first.accesses.flatMap(({ kind, what }) => (kind === 'variable' ? [what] : [])))
  const named = variablesOf(crib, tool, findings).filter(({ what }) => !asked.has(what))
  let observed: readonly Access[] = [...first.accesses, ...named]
  let proposal = propose(observed)
  // More than it has is opened only where somebody said so.
  const isProvable = proposal.missing.length === 0 || options.mayOpen
  let verified: Proof | undefined
  let ends = first.ends[0]!
  if (options.verifies && isProvable) {
    const order = { ...base, runs: 2, strace: strace.path }
    const followed = await follow(order, { observed, proposal, propose })
    observed = followed.observed
    proposal = followed.proposal
    // What ended well before must do so again; what was denied before is compared with what it is now.
    const before = opened === undefined && proposal.missing.length > 0 ? followed.last : undefined
    const runsBefore = before?.ends ?? (await runWatched({ ...base, runs: 2, grants: opened })).ends
    ends = runsBefore[0]!
    if (!isAllFailed(ends)) {
      verified = await verifyGrants(base, proposal.grants, referenceOf(runsBefore))
      const { grants } = verified
      proposal = { ...proposal, grants, missing: proposal.missing.filter((grant) => grants.includes(grant)) }
    }
  }
  // With less than it needs a tool may well fail; with that it tells nothing more of itself.
  const failure = isProvable && isAllFailed(ends) && (options.verifies || proposal.missing.length === 0)
  return {
    tool: tool.id,
    calls: ends,
    observed,
    proposal,
    verified,
    failure: failure ? ends[0]!.said : undefined,
    edit: editOf(crib, tool, proposal.grants),
    notes: notesOf({ tool, first, reason: strace.reason, isInHost: isInHost(crib, tool) }),
  }
}

function isAllFailed(ends: readonly CallEnd[]): boolean {
  return ends.every(({ isFailure }) => isFailure)
}

/** Only Python and JavaScript say at run time which variables they ask for; of others their code names them. */
function variablesOf(crib: Crib, tool: Tool, findings: readonly Finding[]): Access[] {
  const given = new Set([...crib.config.env.expose, ...(tool.secrets ?? [])])
  const names = findings.flatMap(({ capability, detail, certainty }) =>
    capability === 'env.read' && certainty === 'exact' && detail !== undefined && detail !== '*'
      ? [detail]
      : [],
  )
  return [...new Set(names)].map((what) => ({ kind: 'variable', what, isDenied: !given.has(what) }))
}

/** A tool that gets further with what is proposed may reach for more: runs until nothing new comes. */
async function follow(
  order: WatchOrder,
  start: {
    readonly observed: readonly Access[]
    readonly proposal: Proposal
    readonly propose: (accesses: readonly Access[]) => Proposal
  },
): Promise<{ observed: readonly Access[]; proposal: Proposal; last: Watched | undefined }> {
  let { observed, proposal } = start
  let last: Watched | undefined
  for (let round = 0; round < maxRounds && proposal.missing.length > 0; round++) {
    last = await runWatched({ ...order, grants: proposal.grants })
    const known = new Set(observed.map((access) => JSON.stringify(access)))
    observed = [...observed, ...last.accesses.filter((access) => !known.has(JSON.stringify(access)))]
    const next = start.propose(observed)
    const isSame = next.grants.join() === proposal.grants.join()
    proposal = next
    if (isSame) break
  }
  return { observed, proposal, last }
}

function notesOf({
  tool,
  first,
  reason,
  isInHost: staysInHost,
}: {
  readonly tool: Tool
  readonly first: Watched
  readonly reason: string | undefined
  readonly isInHost: boolean
}): string[] {
  const notes: string[] = []
  if (reason !== undefined)
    notes.push(`Files and programs were not watched: ${reason}. See \`toolcrib doctor\`.`)
  else if (!first.isTraced)
    notes.push(`Files and programs were not watched: ${tool.id} started no process that can be traced.`)
  if (staysInHost) notes.push(`${tool.id} runs inside the crib's own process: what it writes to files stays.`)
  return notes
}

/** The settings with exactly these grants for a tool. */
function editOf(crib: Crib, tool: Tool, grants: readonly string[]): SettingsEdit {
  const present = crib.config.grants.tools[tool.id] ?? []
  const wanted = [onlyThese, ...grants]
  return editSettings(crib.spaces.project, {
    path: ['grants', 'tools', tool.id],
    add: wanted.filter((grant) => !present.includes(grant)),
    remove: present.filter((grant) => !wanted.includes(grant)),
  })
}

/** Writes what was learned: the file, its acceptance, the record. */
export async function saveLearned(
  crib: Crib,
  { tool, edit, proposal }: Learned,
  principal: Principal,
): Promise<void> {
  if (edit.before === edit.after) return
  await saveSettings(crib, {
    edit,
    key: `grants.tools.${tool}`,
    pattern: tool,
    principal,
    reason: `grants of ${tool} learned: ${proposal.grants.join(' ') || 'none'}`,
  })
}
