// The shapes of what the crib says of a call before it is made, of what waits for a person, and of a change.

import { effectPolicies } from '../../config/config.ts'
import { approvalShape } from '../../guards/approval-shape.ts'
import { profileShape } from '../../sandbox/profile-shape.ts'
import { reversibilities } from '../../sandbox/reversibility.ts'
import type { Json } from '../../tool/json.ts'
import { problemShape } from '../../tool/problem-shape.ts'
import { t } from '../../tool/shape.ts'
import { toolShape } from '../../tool/tool-shape.ts'
import { driftShape } from '../../trust/trust-shapes.ts'
import { grantProposalShape } from '../grants/grant-proposal-shape.ts'
import { expectedFenceShape } from './console-shapes.ts'

const fixShape = t.object(
  {
    kind: t.oneOf(['sign', 'accept', 'grant', 'secret', 'approve', 'login', 'params', 'settings']),
    names: t.list(t.text(), { description: 'What is missing: capabilities, secrets.' }),
  },
  { description: 'What would open this stop.' },
)

const permitStopShape = t.object({
  name: t.text(),
  kind: t.oneOf(['check', 'wrapper', 'middleware', 'hook']),
  verdict: t.oneOf(['passes', 'stops', 'waits', 'unknown'], {
    description: '`waits`: a person is asked; `unknown`: it depends on a stop before it.',
  }),
  refusals: t.list(
    t.object({ code: t.text(), message: t.text(), hint: t.optional(t.text()), fix: t.optional(fixShape) }),
  ),
  tool: t.optional(t.text({ description: 'The tool that runs there, for middleware.' })),
})

export const permitShape = t.object({
  tool: t.text(),
  runtime: t.text(),
  isOpen: t.boolean({ description: 'Nothing would stop the call.' }),
  stops: t.list(permitStopShape, { description: 'In the order a call passes them.' }),
  fence: t.object({ expected: expectedFenceShape, profile: profileShape }),
  grants: t.list(t.text()),
  approve: t.optional(t.text({ description: 'The pattern of `approve` that names the tool.' })),
  prompt: t.optional(
    t.object(
      {
        text: t.text({ description: 'With the arguments put in.' }),
        model: t.optional(t.text({ description: 'Absent: no model is set up for it.' })),
        allowedTools: t.optional(t.text({ description: 'Absent: whatever the caller may call.' })),
      },
      { description: 'Of a skill that is a prompt for a model.' },
    ),
  ),
})

const decisionShape = t.object({
  at: t.text(),
  isApproved: t.boolean(),
  what: t.text({ description: 'The words of the record: who decided, or why it was refused.' }),
})

const base = { id: t.text(), tool: t.text() }

export const inboxItemShape = t.either([
  t.object({
    ...base,
    kind: t.only('approval'),
    approval: approvalShape,
    description: t.text(),
    requires: t.list(t.text()),
    grants: t.list(t.text()),
    secrets: t.list(t.text()),
    profile: t.optional(profileShape),
    effects: t.oneOf(effectPolicies, { description: 'What becomes of its file changes.' }),
    reversibility: t.optional(
      t.oneOf(reversibilities, { description: 'Whether what it does can be taken back.' }),
    ),
    decisions: t.list(decisionShape, { description: 'The last ones on this tool, newest first.' }),
    lastParams: t.optional(
      t.any<Json>({ description: 'Arguments of the last call that was approved, where they are recorded.' }),
    ),
  }),
  t.object({
    ...base,
    kind: t.only('drift'),
    risk: t.oneOf(['high', 'medium', 'low']),
    changes: t.list(driftShape),
  }),
  t.object({
    ...base,
    kind: t.only('held'),
    run: t.text(),
    at: t.text(),
    files: t.integer({ description: 'Files that would be made, changed or removed.' }),
  }),
  t.object({ ...base, kind: t.only('broken'), problems: t.list(problemShape) }),
  t.object({ ...base, kind: t.only('secret'), name: t.text(), tools: t.list(t.text()) }),
  t.object({ ...base, kind: t.only('grant'), proposal: grantProposalShape }),
  t.object({
    ...base,
    kind: t.only('login'),
    server: t.text({ description: 'The MCP server that wants somebody to log in.' }),
    message: t.text(),
    hint: t.text(),
  }),
  t.object({
    ...base,
    kind: t.only('dead-letter'),
    crumb: t.text(),
    code: t.text(),
    message: t.text(),
    attempts: t.integer(),
    at: t.text(),
    request: t.optional(t.text({ description: 'The request, where it can be made again.' })),
  }),
])

export const reviewShape = t.object({
  tool: t.text(),
  description: t.text(),
  version: t.text(),
  isPinned: t.boolean({ description: 'The lock file has it.' }),
  changes: t.list(driftShape, {
    description:
      'How it differs from what was approved, or what of it another tool wrote; empty: there is nothing to accept.',
  }),
  digest: t.text({ description: 'Of all that accepting it now would accept.' }),
  risk: t.oneOf(['none', 'low', 'medium', 'high']),
  requires: t.orNull(t.list(t.text()), { description: 'null: not stated.' }),
  grants: t.list(t.text()),
  secrets: t.list(t.text()),
  profile: profileShape,
  trust: toolShape.properties.trust,
  reach: t.object({
    tokens: t.list(t.text(), { description: 'Tokens that may call it.' }),
    subscriptions: t.list(t.text(), { description: 'Schemas of events that set it going.' }),
    callers: t.list(t.object({ name: t.text(), count: t.integer() }), {
      description: 'Of the last seven days.',
    }),
    runs: t.integer(),
    failed: t.integer(),
  }),
})
