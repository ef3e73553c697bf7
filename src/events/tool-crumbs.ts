// Tools that live in the store. One name may have several crumbs: the highest semantic version is active, then
// the latest update. The catalog hears of every change.
import { parseToolCode, toolCodeSchema } from '../formats/tool-code/parse-tool-code.ts'
import { compareSemver } from '../formats/tool-code/semver.ts'
import type { Crumb, CrumbDraft } from '../store/crumb.ts'
import type { CrumbStore } from '../store/store.ts'
import { refusedBy } from '../store/store-error.ts'
import { asJson, isPlainObject, type JsonObject } from '../tool/json.ts'
import type { CrumbCheck } from './crumbs.ts'

/** Fields that say what a tool is, as a file would hold them. */
function documentOf(draft: CrumbDraft): JsonObject {
  const { extra, ...fields } = draft
  return { ...extra, ...asJson(fields) }
}

/** Refuses a tool with errors, so that the last good version stays; warnings go with the answer. */
export const toolCheck: CrumbCheck = (draft) => {
  const { problems } = parseToolCode(documentOf(draft))
  const errors = problems.filter((problem) => problem.severity === 'error')
  if (errors.length > 0) throw refusedBy(errors, 'The tool was refused')
  return { warnings: problems.filter((problem) => problem.severity === 'warning') }
}

/** The name of the tool a crumb holds. */
export function toolNameOf(crumb: { readonly context?: unknown }): string | null {
  const name = isPlainObject(crumb.context) ? crumb.context['name'] : undefined
  return typeof name === 'string' ? name : null
}

/** Is it the tool of that name? */
export function holdsTool(crumb: Pick<Crumb, 'context' | 'schema_name'>, name: string): boolean {
  return crumb.schema_name === toolCodeSchema && toolNameOf(crumb) === name
}

/** The version a tool states, in either place. */
export function toolVersionOf(crumb: {
  readonly context?: unknown
  readonly semantic_version?: unknown
}): string {
  const inner = isPlainObject(crumb.context) ? crumb.context['version'] : undefined
  if (typeof inner === 'string' && inner.trim() !== '') return inner
  return typeof crumb.semantic_version === 'string' ? crumb.semantic_version : ''
}

/** Every tool crumb, newest update first. */
export async function allToolCrumbs(store: CrumbStore): Promise<Crumb[]> {
  const all: Crumb[] = []
  for (let after: number | undefined; ; ) {
    const page = await store.crumbs.list({
      viewer: null,
      schema: toolCodeSchema,
      limit: 1000,
      after,
    })
    all.push(...page.crumbs)
    if (page.next === undefined) return all
    after = page.next
  }
}

/** The active crumb of each name. */
export function activeToolCrumbs(crumbs: readonly Crumb[]): Map<string, Crumb> {
  const active = new Map<string, Crumb>()
  for (const crumb of crumbs) {
    const name = toolNameOf(crumb)
    if (name === null) continue
    const rival = active.get(name)
    if (!rival || isBetter(crumb, rival)) active.set(name, crumb)
  }
  return active
}

function isBetter(crumb: Crumb, rival: Crumb): boolean {
  const order = compareSemver(toolVersionOf(crumb), toolVersionOf(rival))
  return order > 0 || (order === 0 && crumb.updated_at > rival.updated_at)
}

/** Calls back whenever a tool crumb was written or deleted, or became something else. Returns the stopper. */
export async function watchStoredTools(
  store: CrumbStore,
  onChange: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<() => void> {
  let position = await store.events.last()
  let work = Promise.resolve()
  const look = async (): Promise<void> => {
    const page = await store.events.pageAfter({
      after: position,
      limit: 1000,
      schemas: [toolCodeSchema],
      withLeavers: true,
    })
    if (page.events.length > 0) await onChange()
    // Only now: what could not be taken over is looked at again.
    position = page.upTo
  }
  return store.events.onAppend(
    () => {
      work = work.then(look).catch(onError)
    },
    new Set([toolCodeSchema]),
  )
}
