// Everything that waits for a person, in one list: approvals by their deadline, then what is held, what drifted, what is
// broken, what is missing, what was denied, what was given up. Each item says who asks, what it may touch and what was decided before.
import type { Crib } from '../../crib/crib.ts'
import { specOf } from '../../formats/mcp/server-tool.ts'
import type { PendingApproval } from '../../guards/approvals.ts'
import { isInUse } from '../../runtimes/mcp/is-in-use.ts'
import { listedChanges } from '../../sandbox/changes/change-set.ts'
import { heldRecords } from '../../sandbox/changes/decide-held.ts'
import { makeProfile } from '../../sandbox/make-profile.ts'
import { reversibilityOf } from '../../sandbox/reversibility.ts'
import { effectPolicyOf, grantsFor } from '../../sandbox/tool-grants.ts'
import { isPlainObject, type Json } from '../../tool/json.ts'
import { cribPrincipal } from '../../tool/principal.ts'
import type { Static } from '../../tool/shape.ts'
import type { Tool } from '../../tool/tool.ts'
import type { DriftEntry } from '../../trust/lock/lock.ts'
import { grantProposals } from '../grants/grant-proposals.ts'
import type { inboxItemShape } from './insight-shapes.ts'

export type InboxItem = Static<typeof inboxItemShape>

const maxLetters = 50
const maxDecisions = 5

export async function inboxOf(crib: Crib): Promise<InboxItem[]> {
  const approvals = await Promise.all(
    [...crib.approvals.pending]
      .sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1))
      .map((pending) => approvalItem(crib, pending)),
  )
  return [
    ...approvals,
    ...held(crib),
    ...drifted(crib),
    ...broken(crib),
    ...(await missingLogins(crib)),
    ...(await missingSecrets(crib)),
    ...(await deniedGrants(crib)),
    ...(await deadLetters(crib)),
  ]
}

async function approvalItem(crib: Crib, approval: PendingApproval): Promise<InboxItem> {
  const tool = crib.catalog.tools.find(({ id }) => id === approval.tool)
  await crib.crumbs.runs.flush()
  const { runs } = await crib.crumbs.store()
  const asked = { tool: approval.tool, limit: maxDecisions }
  const [allowed, denied] = await Promise.all([
    runs.list({ ...asked, kinds: ['allow'] }),
    runs.list({ ...asked, kinds: ['deny'], error: 'APPROVAL_DENIED' }),
  ])
  const decisions = [
    ...allowed.map(({ startedAt, reason }) => ({ at: startedAt, isApproved: true, what: reason ?? '' })),
    ...denied.map(({ startedAt, outcome }) => ({
      at: startedAt,
      isApproved: false,
      what: messageOf(outcome),
    })),
  ]
  const last = allowed[0] ? await runs.get(allowed[0].runId) : null
  const grants = tool ? grantsFor(tool, crib.config) : []
  await crib.formats()
  return {
    id: approval.id,
    kind: 'approval',
    tool: approval.tool,
    approval,
    description: tool?.description ?? '',
    requires: tool?.requires ?? [],
    grants,
    secrets: tool?.secrets ?? [],
    profile: tool && makeProfile(tool, grants, crib),
    effects: tool ? effectPolicyOf(tool, crib.config.effects) : 'hold',
    reversibility: tool && reversibilityOf(tool, crib.config),
    decisions: decisions.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, maxDecisions),
    lastParams: last?.isInFull ? last.params : undefined,
  }
}

function messageOf(outcome: Json | undefined): string {
  const error = isPlainObject(outcome) ? outcome['error'] : undefined
  return isPlainObject(error) ? String(error['message'] ?? '') : ''
}

/** What a run wrote and nobody has accepted or thrown away yet (E9). */
function held(crib: Crib): InboxItem[] {
  return heldRecords(crib.changed).map(({ run, tool, at, steps }) => {
    const files = listedChanges(steps.at(-1)?.changes ?? []).length
    return { id: `held:${run}`, kind: 'held', tool, run, at, files }
  })
}

const risks = ['low', 'medium', 'high'] as const

function drifted(crib: Crib): InboxItem[] {
  if (crib.lock.isOutdated) crib.catalog.markAgain()
  const byTool = new Map<string, DriftEntry[]>()
  for (const entry of crib.lock.report().drifted)
    byTool.set(entry.tool, [...(byTool.get(entry.tool) ?? []), entry])
  return [...byTool].map(([tool, changes]) => ({
    id: `drift:${tool}`,
    kind: 'drift',
    tool,
    risk: risks[Math.max(...changes.map(({ risk }) => risks.indexOf(risk)))]!,
    changes,
  }))
}

function broken(crib: Crib): InboxItem[] {
  return crib.catalog.tools
    .filter(isBroken)
    .map(({ id, problems }) => ({ id: `broken:${id}`, kind: 'broken', tool: id, problems }))
}

function isBroken({ state, kind, problems }: Tool): boolean {
  return state === 'invalid' && kind !== 'runtime' && problems.some(({ severity }) => severity === 'error')
}

/** Servers that said so when they were asked for their tools, or when a call came (U5). */
async function missingLogins(crib: Crib): Promise<InboxItem[]> {
  const needed = await crib.logins.needed()
  return crib.catalog.tools.flatMap((tool) => {
    const name = specOf(tool)?.name
    const problem = tool.problems.find(({ code }) => code === 'mcp-login-needed')
    if (name === undefined || !isInUse(tool) || !(problem || needed.has(name))) return []
    const message = problem?.message ?? `The server "${name}" wants a log-in: ${needed.get(name)}.`
    const hint = problem?.hint ?? `Log in with \`toolcrib login ${name}\`.`
    return [{ id: `login:${name}`, kind: 'login', tool: tool.id, server: name, message, hint }]
  })
}

async function missingSecrets(crib: Crib): Promise<InboxItem[]> {
  const named = new Map<string, string[]>()
  for (const tool of crib.list())
    for (const name of tool.secrets ?? []) named.set(name, [...(named.get(name) ?? []), tool.id])
  if (named.size === 0) return []
  const { secrets } = await crib.crumbs.open()
  const stored = new Set((await secrets.list(cribPrincipal)).map(({ name }) => name))
  const { env } = crib.config.secrets
  return [...named]
    .filter(([name]) => !stored.has(name) && !(env.includes(name) && crib.env[name]))
    .map(([name, tools]) => ({ id: `secret:${name}`, kind: 'secret', tool: tools[0]!, name, tools }))
}

async function deniedGrants(crib: Crib): Promise<InboxItem[]> {
  const proposals = await grantProposals(crib)
  return proposals.map((proposal) => ({
    id: `grant:${proposal.tool}`,
    kind: 'grant',
    tool: proposal.tool,
    proposal,
  }))
}

async function deadLetters(crib: Crib): Promise<InboxItem[]> {
  const store = await crib.crumbs.store()
  const { crumbs } = await store.crumbs.list({ viewer: null, schema: 'tool.error.v1', limit: maxLetters })
  return Promise.all(
    crumbs.map(async (crumb): Promise<InboxItem> => {
      const said = isPlainObject(crumb.context) ? crumb.context : {}
      const request = String(said['request_id'] ?? '')
      const isRequest = (await store.crumbs.get(request))?.schema_name === 'tool.request.v1'
      return {
        id: `letter:${crumb.id}`,
        kind: 'dead-letter',
        tool: String(said['tool'] ?? ''),
        crumb: crumb.id,
        code: String(said['code'] ?? ''),
        message: String(said['message'] ?? ''),
        attempts: Number(said['attempts'] ?? 0),
        at: String(said['last_at'] ?? crumb.updated_at),
        request: isRequest ? request : undefined,
      }
    }),
  )
}
