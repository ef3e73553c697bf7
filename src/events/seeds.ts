// Crumbs that come from files. A file is the source until somebody edits the crumb; from then on the edit
// counts and the file is only reported.

import { parseToolCode, toolCodeSchema } from '../formats/tool-code/parse-tool-code.ts'
import { compareSemver } from '../formats/tool-code/semver.ts'
import type { Crumb, CrumbDraft } from '../store/crumb.ts'
import type { SeedRow } from '../store/store.ts'
import { asJson, isPlainObject, isTooDeep, type JsonObject, jsonDigest } from '../tool/json.ts'
import { cribPrincipal } from '../tool/principal.ts'
import type { Problem } from '../tool/problem.ts'
import { hintFor } from '../tool/problem-hints.ts'
import { isToolError, ToolError } from '../tool/tool-error.ts'
import { draftOf } from './check-crumb.ts'
import { type CrumbChecks, type Crumbs, checkedDraft } from './crumbs.ts'
import { refusalProblems } from './refusal-problems.ts'
import { activeToolCrumbs, allToolCrumbs, toolNameOf, toolVersionOf } from './tool-crumbs.ts'

export interface SeedDocument {
  /** Path of the file from the project's folder, for the record. */
  readonly file: string
  /** Where it lies now, for problems. */
  readonly path: string
  readonly text: string
  readonly document: JsonObject
}

export interface SeedReport {
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly problems: readonly Problem[]
}

/** Brings the store up to the files: `documents` are all of them that hold a crumb, in code-unit order of path. */
export async function seedCrumbs(
  crumbs: Crumbs,
  documents: readonly SeedDocument[],
  isThere: (file: string) => boolean = () => false,
): Promise<SeedReport> {
  const seeder = new Seeder(crumbs)
  const known = new Set(documents.map(({ file }) => file))
  // A file that cannot be read has not gone: what was made from it while it was good stays.
  await seeder.begin((file) => known.has(file) || isThere(file))
  for (const seed of activeFiles(documents)) await seeder.take(seed)
  await seeder.sweep()
  return seeder.report
}

/** Deletes the tools whose file has gone and that nobody edited (C5); takes nothing new from files. */
export async function sweepSeeds(crumbs: Crumbs, isThere: (file: string) => boolean): Promise<void> {
  // Nearly always nothing has gone: then the tools of the store are not read.
  if ((await crumbs.store.seeds.list()).every(({ file }) => isThere(file))) return
  const seeder = new Seeder(crumbs)
  await seeder.begin(isThere)
  await seeder.sweep()
}

/** What seeding would report of the files themselves, told without a store: nothing is written. */
export async function seedProblems(
  documents: readonly SeedDocument[],
  checks: CrumbChecks,
  nowMs: number,
): Promise<Problem[]> {
  const found = await Promise.all(
    activeFiles(documents).map((seed) =>
      reported(seed, async () => {
        if (isSeeded(seed)) await checkedDraft(bodyOf(seed), cribPrincipal, checks, nowMs)
      }),
    ),
  )
  return found.flat()
}

/** Tools of the former format and tools with errors are not: the catalog reports these with their lines. */
function isSeeded({ document }: SeedDocument): boolean {
  if (document['schema_name'] !== toolCodeSchema) return document['schema_name'] !== 'tool.v1'
  if (isTooDeepToKeep(document)) return false
  const { tool, problems } = parseToolCode(document)
  return tool !== undefined && !problems.some((problem) => problem.severity === 'error')
}

/** Does the work; a refusal comes back as problems of the file. */
async function reported(seed: SeedDocument, work: () => Promise<void>): Promise<readonly Problem[]> {
  try {
    await work()
    return []
  } catch (error) {
    if (!isToolError(error)) throw error
    return refusalProblems(error, seed)
  }
}

/** Of several tool files with one name only the active one is seeded: sound, then higher version, then first path. */
function activeFiles(documents: readonly SeedDocument[]): SeedDocument[] {
  const nameOf = ({ document }: SeedDocument): string | null =>
    document['schema_name'] === toolCodeSchema ? toolNameOf(document) : null
  const best = new Map<string, SeedDocument>()
  for (const seed of documents) {
    const name = nameOf(seed)
    if (name === null) continue
    const rival = best.get(name)
    if (!rival || isBetter(seed, rival)) best.set(name, seed)
  }
  return documents.filter((seed) => {
    const name = nameOf(seed)
    return name === null || best.get(name) === seed
  })
}

function isBetter(seed: SeedDocument, rival: SeedDocument): boolean {
  if (isSeeded(seed) !== isSeeded(rival)) return isSeeded(seed)
  return compareSemver(versionOf(seed.document), versionOf(rival.document)) > 0
}

class Seeder {
  readonly #crumbs: Crumbs
  #rows = new Map<string, SeedRow>()
  /** Rows whose file has gone, or now holds something else. */
  #left: SeedRow[] = []
  #tools = new Map<string, Crumb>()
  readonly #counts = { created: 0, updated: 0, deleted: 0 }
  readonly #problems: Problem[] = []

  constructor(crumbs: Crumbs) {
    this.#crumbs = crumbs
  }

  get report(): SeedReport {
    return { ...this.#counts, problems: this.#problems }
  }

  async begin(isPresent: (file: string) => boolean): Promise<void> {
    const { store } = this.#crumbs
    const rows = await store.seeds.list()
    this.#rows = new Map(rows.filter(({ file }) => isPresent(file)).map((row) => [row.file, row]))
    this.#left = rows.filter(({ file }) => !isPresent(file))
    this.#tools = activeToolCrumbs(await allToolCrumbs(store))
  }

  async take(seed: SeedDocument): Promise<void> {
    const isTool = seed.document['schema_name'] === toolCodeSchema
    const problems = await reported(seed, async () => {
      const body = bodyOf(seed)
      if (isTool) await this.#takeTool(seed, body)
      else if (isSeeded(seed)) await this.#takePlain(seed, body)
    })
    this.#problems.push(...problems)
  }

  /** Deletes tools whose file has gone or holds another one now, unless somebody edited them since. */
  async sweep(): Promise<void> {
    const { store } = this.#crumbs
    const kept = new Set([...this.#rows.values()].map(({ crumb }) => crumb))
    for (const row of this.#left) {
      const crumb = kept.has(row.crumb) ? null : await store.crumbs.get(row.crumb)
      if (crumb && crumb.schema_name !== toolCodeSchema) continue
      if (crumb && crumb.version === row.version) {
        await store.crumbs.remove(crumb.id, crumb.version, cribPrincipal, 'file')
        this.#counts.deleted++
      }
      if (!this.#rows.has(row.file)) await store.seeds.remove(row.file)
    }
  }

  async #takeTool(seed: SeedDocument, body: JsonObject): Promise<void> {
    const row = this.#rows.get(seed.file)
    const known = this.#tools.get(toolNameOf(body) ?? '')
    // Nothing has changed since it was taken: its code need not be parsed again.
    if (known && row?.crumb === known.id && row.digest === digestOf(seed) && row.version === known.version)
      return
    // A good stored version stays active.
    if (!isSeeded(seed)) return
    if (!known) return this.#create(seed, body)
    const order = compareSemver(versionOf(body), toolVersionOf(known))
    // Without its file the higher version would go; this one takes its place.
    const isLeft = this.#left.some((one) => one.crumb === known.id && one.version === known.version)
    if (order < 0 && !isLeft) {
      this.#report('tc-older', {
        severity: 'info',
        seed,
        message: `${toolNameOf(known)} ${versionOf(body)} is older than the stored ${toolVersionOf(known)}, which stays.`,
      })
      return
    }
    // A file that changed since it was taken is taken again; of any other only what differs matters.
    const isOurs = row?.crumb === known.id && row.version === known.version
    const draft = draftOf(body, this.#crumbs.store.clock.now())
    if (!isOurs && jsonDigest(contentOf(draft)) === jsonDigest(contentOf(known)))
      return this.#remember(seed, known.id, known.version)
    await this.#update(seed, known, body)
  }

  async #takePlain(seed: SeedDocument, body: JsonObject): Promise<void> {
    const row = this.#rows.get(seed.file) ?? (await this.#movedFrom(seed))
    if (!row) return this.#create(seed, body)
    if (row.digest === digestOf(seed)) return
    const crumb = await this.#crumbs.store.crumbs.get(row.crumb)
    if (crumb?.version === row.version) return this.#update(seed, crumb, body)
    this.#report('seed-edited', {
      severity: 'warning',
      seed,
      message: crumb
        ? `The breadcrumb ${crumb.id} was edited since it was made from this file, so the changed file is not taken over.`
        : 'The breadcrumb made from this file was deleted, so the changed file is not taken over.',
      hint: 'Make the change on the breadcrumb, or give the file a new name.',
    })
  }

  /** Where a file lay that was only moved: its breadcrumb is there already. */
  async #movedFrom(seed: SeedDocument): Promise<SeedRow | undefined> {
    const { store } = this.#crumbs
    for (const row of this.#left) {
      if (row.digest !== digestOf(seed) || !(await store.crumbs.get(row.crumb))) continue
      this.#left = this.#left.filter((one) => one !== row)
      await this.#remember(seed, row.crumb, row.version)
      await store.seeds.remove(row.file)
      return row
    }
    return undefined
  }

  async #create(seed: SeedDocument, body: JsonObject): Promise<void> {
    const { id, version } = await this.#crumbs.create(body, cribPrincipal)
    this.#counts.created++
    await this.#remember(seed, id, version)
  }

  async #update(seed: SeedDocument, crumb: Crumb, body: JsonObject): Promise<void> {
    const { version } = await this.#crumbs.replace(crumb, body, cribPrincipal)
    this.#counts.updated++
    await this.#remember(seed, crumb.id, version)
  }

  async #remember(seed: SeedDocument, crumb: string, version: number): Promise<void> {
    const row: SeedRow = { file: seed.file, crumb, version, digest: digestOf(seed) }
    const former = this.#rows.get(seed.file)
    if (former && former.crumb !== crumb) this.#left.push(former)
    this.#rows.set(seed.file, row)
    await this.#crumbs.store.seeds.set(row)
  }

  #report(
    code: string,
    {
      severity,
      seed,
      message,
      hint,
    }: {
      readonly severity: Problem['severity']
      readonly seed: SeedDocument
      readonly message: string
      readonly hint?: string
    },
  ): void {
    this.#problems.push({
      code,
      severity,
      message,
      file: seed.path,
      line: 1,
      hint: hint ?? hintFor(code),
    })
  }
}

function digestOf({ document }: SeedDocument): string {
  return jsonDigest(document)
}

function isTooDeepToKeep(document: JsonObject): boolean {
  return Object.values(document).some((field) => isTooDeep(field))
}

/** What is stored of a file. One without a title goes by the name of its tool, or by its schema. */
function bodyOf({ document }: SeedDocument): JsonObject {
  if (isTooDeepToKeep(document))
    throw new ToolError('INVALID', 'The document is nested too deep to be a breadcrumb.', {
      hint: 'Nest its values less deeply.',
    })
  if (typeof document['title'] === 'string' && document['title'] !== '') return document
  const name = isPlainObject(document['context']) ? document['context']['name'] : undefined
  return { ...document, title: typeof name === 'string' ? name : String(document['schema_name']) }
}

function versionOf(body: JsonObject): string {
  return toolVersionOf(body)
}

/** What makes two tool crumbs the same. When they end is no part of it: a file may count that from its start. */
function contentOf(crumb: CrumbDraft): JsonObject {
  const { title, description, semantic_version, context, tags, llm_hints, visibility, sensitivity } = crumb
  return asJson({
    title,
    description,
    semantic_version,
    context,
    tags: [...tags].sort(),
    llm_hints,
    visibility,
    sensitivity,
    extra: crumb.extra,
  })
}
