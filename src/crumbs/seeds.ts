// Crumbs that come from files. A file is the source until somebody edits the crumb; from then on the edit
// counts and the file is only reported.
import { parseToolCode, toolCodeSchema } from '../formats/tool-code/parse-tool-code.ts'
import { compareSemver } from '../formats/tool-code/semver.ts'
import { isPlainObject, isTooDeep, type JsonObject, jsonDigest } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import { type Crumb, cribActor } from './crumb.ts'
import { CrumbError, isCrumbError } from './crumb-error.ts'
import type { Crumbs } from './crumbs.ts'
import type { SeedRow } from './store.ts'
import { activeToolCrumbs, allToolCrumbs, toolNameOf, toolVersionOf } from './tool-crumbs.ts'

export interface SeedDocument {
  /** Path of the file, for the record and for problems. */
  readonly file: string
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
  await seeder.begin()
  for (const { file, document } of activeFiles(documents)) await seeder.take(file, document)
  const known = new Set(documents.map(({ file }) => file))
  // A file that cannot be read has not gone: what was made from it while it was good stays.
  await seeder.sweep((file) => known.has(file) || isThere(file))
  return seeder.report
}

/** Of several tool files with one name only the active one is seeded: higher version, then first path. */
function activeFiles(documents: readonly SeedDocument[]): SeedDocument[] {
  const best = new Map<string, SeedDocument>()
  for (const seed of documents) {
    const name = seed.document['schema_name'] === toolCodeSchema ? toolNameOf(asCrumb(seed.document)) : null
    if (name === null) continue
    const rival = best.get(name)
    if (!rival || compareSemver(versionOf(seed.document), versionOf(rival.document)) > 0) best.set(name, seed)
  }
  return documents.filter((seed) => {
    const name = seed.document['schema_name'] === toolCodeSchema ? toolNameOf(asCrumb(seed.document)) : null
    return name === null || best.get(name) === seed
  })
}

class Seeder {
  readonly #crumbs: Crumbs
  #rows = new Map<string, SeedRow>()
  #tools = new Map<string, Crumb>()
  readonly #counts = { created: 0, updated: 0, deleted: 0 }
  readonly #problems: Problem[] = []

  constructor(crumbs: Crumbs) {
    this.#crumbs = crumbs
  }

  get report(): SeedReport {
    return { ...this.#counts, problems: this.#problems }
  }

  async begin(): Promise<void> {
    const { store } = this.#crumbs
    this.#rows = new Map((await store.seeds.list()).map((row) => [row.file, row]))
    this.#tools = activeToolCrumbs(await allToolCrumbs(store))
  }

  async take(file: string, document: JsonObject): Promise<void> {
    try {
      if (Object.values(document).some((field) => isTooDeep(field)))
        throw new CrumbError(422, 'invalid', 'The document is nested too deep to be a breadcrumb.')
      if (document['schema_name'] === toolCodeSchema) await this.#takeTool(file, document)
      else if (typeof document['schema_name'] === 'string' && document['schema_name'] !== 'tool.v1')
        await this.#takePlain(file, document)
    } catch (error) {
      if (!isCrumbError(error)) throw error
      this.#report(error.code, 'error', file, error.message, error.hint)
    }
  }

  /** Deletes tools whose file has gone, unless somebody edited them since. */
  async sweep(isPresent: (file: string) => boolean): Promise<void> {
    const { store } = this.#crumbs
    for (const row of this.#rows.values()) {
      if (isPresent(row.file)) continue
      const crumb = await store.crumbs.get(row.crumb)
      if (crumb && crumb.schema_name !== toolCodeSchema) continue
      if (crumb && crumb.version === row.version) {
        await store.crumbs.remove(crumb.id, crumb.version, cribActor, 'file')
        this.#counts.deleted++
      }
      await store.seeds.remove(row.file)
    }
  }

  async #takeTool(file: string, document: JsonObject): Promise<void> {
    const digest = jsonDigest(document)
    const row = this.#rows.get(file)
    const known = this.#tools.get(toolNameOf(asCrumb(document)) ?? '')
    // Nothing has changed since it was taken: its code need not be parsed again.
    if (known && row?.crumb === known.id && row.digest === digest && row.version === known.version) return
    const { tool, problems } = parseToolCode(document)
    // The catalog reports these with their lines; a good stored version stays active.
    if (!tool || problems.some((problem) => problem.severity === 'error')) return
    const stored = this.#tools.get(tool.id)
    if (!stored) return this.#create(file, document, digest)
    const order = compareSemver(versionOf(document), toolVersionOf(stored))
    if (order < 0) {
      this.#report(
        'tc-older',
        'info',
        file,
        `${tool.id} ${versionOf(document)} is older than the stored ${toolVersionOf(stored)}, which stays.`,
      )
      return
    }
    if (jsonDigest(contentOf(asCrumb(document))) === jsonDigest(contentOf(stored)))
      return this.#remember(file, stored.id, stored.version, digest)
    await this.#update(file, stored, document, digest)
  }

  async #takePlain(file: string, document: JsonObject): Promise<void> {
    const row = this.#rows.get(file)
    const digest = jsonDigest(document)
    if (!row) return this.#create(file, document, digest)
    if (row.digest === digest) return
    const crumb = await this.#crumbs.store.crumbs.get(row.crumb)
    if (crumb?.version === row.version) return this.#update(file, crumb, document, digest)
    this.#report(
      'seed-edited',
      'warning',
      file,
      crumb
        ? `The breadcrumb ${crumb.id} was edited since it was made from this file, so the changed file is not taken over.`
        : 'The breadcrumb made from this file was deleted, so the changed file is not taken over.',
      'Make the change on the breadcrumb, or give the file a new name.',
    )
  }

  async #create(file: string, document: JsonObject, digest: string): Promise<void> {
    const { id, version } = await this.#crumbs.create(withTitle(document), cribActor)
    this.#counts.created++
    await this.#remember(file, id, version, digest)
  }

  async #update(file: string, crumb: Crumb, document: JsonObject, digest: string): Promise<void> {
    const cleared = Object.fromEntries(
      ['description', 'semantic_version', 'llm_hints', 'ttl'].map((name) => [name, null]),
    )
    const { version } = await this.#crumbs.update(crumb.id, { ...cleared, ...withTitle(document) }, cribActor)
    this.#counts.updated++
    await this.#remember(file, crumb.id, version, digest)
  }

  async #remember(file: string, crumb: string, version: number, digest: string): Promise<void> {
    await this.#crumbs.store.seeds.set({ file, crumb, version, digest })
  }

  #report(code: string, severity: Problem['severity'], file: string, message: string, hint?: string): void {
    this.#problems.push({ code, severity, message, file, ...(hint === undefined ? {} : { hint }) })
  }
}

function asCrumb(document: JsonObject): Crumb {
  return { tags: [], ...withTitle(document) } as unknown as Crumb
}

/** A tool without a title goes by its name. */
function withTitle(document: JsonObject): JsonObject {
  if (typeof document['title'] === 'string' && document['title'] !== '') return document
  const name = isPlainObject(document['context']) ? document['context']['name'] : undefined
  return { ...document, title: typeof name === 'string' ? name : String(document['schema_name']) }
}

function versionOf(document: JsonObject): string {
  return toolVersionOf(document as unknown as Crumb)
}

/** What makes two tool crumbs the same. */
function contentOf(crumb: Crumb): JsonObject {
  const { title, description, semantic_version, context, tags, llm_hints } = crumb
  return {
    title,
    description,
    semantic_version,
    context,
    tags: [...tags].sort(),
    llm_hints,
  } as unknown as JsonObject
}
