// Finds the files whose crumbs belong into the store: tools of the catalog, and any other document with a
// schema name under a root's `crumbs/` folder.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { byCodeUnits, isPlainObject, type JsonObject } from '../tool/json.ts'
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
): SeedDocument[] {
  const files = new Set<string>()
  // What ships with Toolcrib is no part of the crib: it comes and goes with the program.
  for (const { format, tier, source } of tools)
    if (format === 'tool-code' && tier !== 'system' && source.file) files.add(source.file)
  for (const root of roots) for (const file of jsonFilesUnder(join(root, 'crumbs'))) files.add(file)
  return [...files].sort(byCodeUnits).flatMap((file) => {
    const seed = readDocument(file)
    return seed ? [{ file: relative(project, file), path: file, ...seed }] : []
  })
}

function jsonFilesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => resolve(entry.parentPath, entry.name))
      .filter((file) => !/[\\/](node_modules|\.git)[\\/]/.test(file))
  } catch {
    return []
  }
}

function readDocument(file: string): Pick<SeedDocument, 'text' | 'document'> | null {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.length > maxBytes) return null
    const document: unknown = JSON.parse(text)
    return isPlainObject(document) && typeof document['schema_name'] === 'string'
      ? { text, document: document as JsonObject }
      : null
  } catch {
    return null
  }
}
