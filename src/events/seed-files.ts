// Finds the files whose crumbs belong into the store: tools of the catalog, and any other document with a
// schema name under a root's `crumbs/` folder.

import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { walk } from '../catalog/walk.ts'
import { isInside } from '../files/is-inside.ts'
import { readBelow } from '../files/open-below.ts'
import { documentOfModule, joinSource, toolModule } from '../formats/tool-code/read-document.ts'
import { byCodeUnits, isPlainObject, type JsonObject, parseJsonFile } from '../tool/json.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import type { SeedDocument } from './seeds.ts'

/** What is larger is the catalog's to report. */
const maxBytes = 8 * 1024 * 1024

/**
 * All of them, in code-unit order of their paths, which are told from the project's folder so that it can be
 * moved; what cannot be read is the catalog's to report.
 */
export function seedDocuments(
  project: string,
  roots: readonly string[],
  tools: readonly Tool[],
  isSetAside: (file: string) => boolean = () => false,
): SeedDocument[] {
  const files = new Set<string>()
  // What ships with Toolcrib is no part of the crib: it comes and goes with the program.
  for (const tool of tools)
    if (planOf(tool, 'deno') && tool.tier !== 'system' && tool.source.file) files.add(tool.source.file)
  for (const root of roots) for (const file of jsonFilesUnder(root, 'crumbs')) files.add(file)
  return [...files].sort(byCodeUnits).flatMap((file) => {
    const seed = isSetAside(file) ? null : readDocument(file)
    return seed ? [{ file: relative(project, file), path: file, ...seed }] : []
  })
}

/** As the catalog walks it: what is ignored there is not seeded either. */
function jsonFilesUnder(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return walk(root, { only: folder })
    .files.map(({ path }) => join(root, path))
    .filter((file) => isInside(file, join(root, folder)) && file.endsWith('.json'))
}

/** Is a file part of the crib, readable or not? One that is ignored or lies in no root has left it. */
export function isInCrib(file: string, roots: readonly string[]): boolean {
  return existsSync(file) && roots.some((root) => isInside(file, root) && !isIgnored(root, file))
}

function isIgnored(root: string, file: string): boolean {
  let isLeftOut = false
  const onIgnored = (ignored: { readonly path: string }): void => {
    isLeftOut ||= isInside(file, join(root, ignored.path))
  }
  walk(root, { onIgnored })
  return isLeftOut
}

function readDocument(file: string): Pick<SeedDocument, 'text' | 'document'> | null {
  try {
    const bytes = readFileSync(file)
    if (bytes.length > maxBytes || !isUtf8(bytes)) return null
    const text = bytes.toString('utf8')
    if (toolModule.test(file)) {
      const joined = documentOfModule(file, text)
      return joined && !joined.fault ? { text, document: joined.document } : null
    }
    const read: unknown = parseJsonFile(text)
    if (!isPlainObject(read) || typeof read['schema_name'] !== 'string') return null
    const { document, fault, sourceFile } = joinSource(read as JsonObject, file, (name) =>
      readBelow(dirname(file), name, maxBytes)?.toString('utf8'),
    )
    if (fault) return null
    // What counts as a change of the seed is a change of either file.
    return { text: sourceFile ? JSON.stringify(document) : text, document }
  } catch {
    return null
  }
}
