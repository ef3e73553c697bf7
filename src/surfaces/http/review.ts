// What changed in a tool and what that could do: the differences from what was approved, what it may touch now, who can
// reach it and how often it ran.

import { subscriptionsOf } from '../../automation/subscriptions.ts'
import type { Crib } from '../../crib/crib.ts'
import { isSelected } from '../../guards/offer-selection.ts'
import type { RunHistory } from '../../runs/run-history.ts'
import { makeProfile } from '../../sandbox/make-profile.ts'
import { grantsFor } from '../../sandbox/tool-grants.ts'
import { parseAllowedTools } from '../../tool/allowed-tools.ts'
import { isUnrestricted, type Principal } from '../../tool/principal.ts'
import type { Static } from '../../tool/shape.ts'
import type { Tool } from '../../tool/tool.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { type Approval, approvalOf } from '../trust/lock-crib.ts'
import type { reviewShape } from './insight-shapes.ts'
import { maySee } from './principals.ts'
import type { ListedToken } from './tokens.ts'

export type Review = Static<typeof reviewShape>

const weekMs = 7 * 86_400_000
const risks = ['none', 'low', 'medium', 'high'] as const

/** Undefined where there is nothing to accept. */
async function waitingOf(crib: Crib, { id }: Tool): Promise<Approval | undefined> {
  try {
    return await approvalOf(crib, id)
  } catch (error) {
    if (isToolError(error)) return undefined
    throw error
  }
}

interface ReviewParts {
  readonly crib: Crib
  readonly history: RunHistory
  readonly tokens: readonly ListedToken[]
  /** Who looks. */
  readonly principal: Principal
}

export async function reviewOf(
  tool: Tool,
  { crib, history, tokens, principal }: ReviewParts,
): Promise<Review> {
  await crib.formats()
  // What is shown is what would be accepted, the tools of a server included.
  const { entries, digest } = (await waitingOf(crib, tool)) ?? { entries: [], digest: '' }
  const seen = (id: string) => isUnrestricted(principal) || maySee(principal, crib.find(id), crib)
  const changes = entries.filter((entry) => entry.tool === tool.id || seen(entry.tool))
  const report = crib.lock.report()
  const grants = grantsFor(tool, crib.config)
  const until = new Date()
  const since = new Date(until.getTime() - weekMs)
  const stats = await history.stats({
    tool: tool.id,
    by: 'caller',
    since: since.toISOString(),
    until: until.toISOString(),
  })
  return {
    tool: tool.id,
    description: tool.description,
    version: tool.version,
    isPinned: report.locked && !report.unpinned.includes(`${tool.format}:${tool.id}`),
    changes,
    digest,
    risk: risks[Math.max(0, ...changes.map(({ risk }) => risks.indexOf(risk)))]!,
    requires: tool.requires,
    grants,
    secrets: tool.secrets ?? [],
    profile: makeProfile(tool, grants, crib),
    trust: tool.trust,
    reach: {
      tokens: tokens
        .filter(
          ({ allowedTools, offer }) =>
            (allowedTools === undefined || parseAllowedTools(allowedTools).couldAllow(tool)) &&
            (offer === undefined || isSelected(crib.config.offers[offer]?.tools ?? [], tool)),
        )
        .map(({ name }) => name),
      subscriptions: [...new Set(subscriptionsOf(tool).map(({ schema_name }) => schema_name))],
      callers: stats.groups.map(({ key, count }) => ({ name: key, count })),
      runs: stats.total.count,
      failed: stats.total.failed,
    },
  }
}
