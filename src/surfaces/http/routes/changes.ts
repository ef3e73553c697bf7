// What a run changed in the files, and what becomes of it: undo, and the decision on what is held (E9, E14).
import type { Crib } from '../../../crib/crib.ts'
import { listedChanges } from '../../../sandbox/changes/change-set.ts'
import { heldRecords } from '../../../sandbox/changes/decide-held.ts'
import { combined } from '../../../sandbox/changes/effects-of.ts'
import { effectsShape } from '../../../tool/outcome-shape.ts'
import type { Principal } from '../../../tool/principal.ts'
import { named, type Static, t } from '../../../tool/shape.ts'
import { admin, anyToken } from '../access.ts'
import type { AppParts } from '../app.ts'
import { changeListShape, changesShape } from '../changes-shape.ts'
import { HttpProblem } from '../problem-json.ts'
import { checkedBody, json, type Route, route } from '../route.ts'
import { maySeeRun } from './runs.ts'

const params = { id: 'Id of the run; admins may give a beginning of it.' }

const undoBody = named(
  'UndoBody',
  t.closed({
    onConflict: t.optional(
      t.oneOf(['refuse', 'merge', 'overwrite'], {
        description: 'What to do with files that something else changed since.',
      }),
    ),
    dryRun: t.optional(t.boolean({ description: 'Say what would be put back, change nothing.' })),
  }),
)

const undoneShape = t.object({
  changeSet: t.optional(t.text({ description: 'Id of the undo, which can be undone.' })),
  runs: t.list(t.text()),
  restored: t.integer(),
  conflicts: t.list(t.text(), { description: 'Files that something else changed since.' }),
})

const decisionBody = named(
  'HeldBody',
  t.closed({
    accept: t.any<'all' | 'none' | readonly string[]>({
      anyOf: [{ enum: ['all', 'none'] }, { type: 'array', items: { type: 'string' } }],
      description: 'Everything, nothing, or the paths that are accepted.',
    }),
  }),
)

/** The latest records that are looked at for those of one tool. */
const maxLookedAt = 1_000
const maxPaths = 5

export const changeRoutes: readonly Route[] = [
  route({
    id: 'listHeld',
    method: 'get',
    path: '/api/held',
    summary: 'Change sets that wait for a person',
    access: admin('see what is held'),
    answers: { 200: json('Held change sets', t.object({ held: t.list(changesShape) })) },
    handle: (_, { crib }) => ({ held: heldRecords(crib.changed).map(({ run }) => crib.changes(run)) }),
  }),
  route({
    id: 'listChanges',
    method: 'get',
    path: '/api/changes',
    summary: 'What runs did to the files lately, the latest first',
    access: admin('see what runs changed'),
    query: t.object({
      tool: t.optional(t.text({ description: 'Only what this tool did.' })),
      limit: t.integer({ minimum: 1, maximum: 100, default: 10 }),
    }),
    answers: { 200: json('Change sets', changeListShape) },
    handle: ({ query: { tool, limit } }, { crib }) => ({
      changes: latestChanges(crib, tool, limit),
    }),
  }),
  route({
    id: 'runChanges',
    method: 'get',
    path: '/api/runs/:id{.+}/changes',
    summary: 'What a run changed in the files',
    access: anyToken,
    params,
    answers: { 200: json('The change set', changesShape) },
    async handle({ params: { id }, principal }, parts) {
      await mustSee(id, principal, parts)
      return parts.crib.changes(id)
    },
  }),
  route({
    id: 'undoRun',
    method: 'post',
    path: '/api/runs/:id{.+}/undo',
    summary: 'Puts back what a run changed in the files',
    access: admin('undo runs'),
    params,
    body: checkedBody(undoBody, false),
    answers: { 200: json('What was put back', undoneShape) },
    async handle({ params: { id }, body: read }, { crib }) {
      const { set: _, ...undone } = await crib.undo(id, (await read()) ?? {})
      return undone
    },
  }),
  route({
    id: 'decideHeld',
    method: 'post',
    path: '/api/runs/:id{.+}/decide',
    summary: 'Accepts what a run holds: all, some files, or none',
    access: admin('decide on changes'),
    params,
    body: checkedBody(decisionBody, true),
    answers: { 200: json('What became of it', effectsShape) },
    async handle({ params: { id }, body: read }, { crib }) {
      return crib.decide(id, (await read()).accept)
    },
  }),
]

function latestChanges({ changed: { log } }: Crib, tool: string | undefined, limit: number) {
  const found: Static<typeof changeListShape>['changes'][number][] = []
  for (const id of log.runs().slice(-maxLookedAt).reverse()) {
    const record = log.records([id])[0]
    if (!record || (tool !== undefined && record.tool !== tool)) continue
    const { run, at, state, steps, undoneBy } = record
    const paths = listedChanges(combined(steps)).map(({ path }) => path)
    if (paths.length === 0) continue
    const files = paths.length
    found.push({ run, tool: record.tool, at, state, paths: paths.slice(0, maxPaths), files, undoneBy })
    if (found.length === limit) break
  }
  return found
}

async function mustSee(id: string, principal: Principal, { history }: AppParts): Promise<void> {
  if (principal.isAdmin) return
  const run = await history.find(id, true)
  if (run && maySeeRun(principal, run)) return
  throw new HttpProblem('RUN_NOT_FOUND', `There is no run ${id}.`, { hint: 'See GET /api/runs.' })
}
