// The bytes a tool was judged by, as digests that go along to whoever imports its files: what changes between the
// check and the import is refused there, on the very bytes that are compiled.

import { dirname } from 'node:path'
import type { TrustMode } from '../config/config.ts'
import { systemSpace } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { importedFiles } from '../formats/imported-files.ts'
import { type Enclosure, partsOf } from '../formats/tool-parts.ts'
import type { Tool } from '../tool/tool.ts'
import { type CoveredFile, coveredFiles } from './covered-files.ts'
import type { Lock } from './lock/lock.ts'
import type { TrustStore } from './trust-store.ts'

export interface Seal {
  /** SHA-256 by absolute path; an empty one fits no bytes. */
  readonly files: { readonly [path: string]: string }
  /** Where a path of `files` really leads, when that is another path. */
  readonly links: { readonly [path: string]: string }
  /** A folder from which nothing else may be imported; null when other code of the crib may be. */
  readonly closed: string | null
  /** Names of folders under `closed` that hold code of others. */
  readonly open: readonly string[]
}

export interface SealOptions {
  readonly mode: TrustMode
  readonly lock: Pick<Lock, 'pinnedFiles'>
  readonly store: Pick<TrustStore, 'judgeBytes'>
  readonly projectPath: string
}

/** null: nobody vouches for the bytes of this tool, so any may run. */
export function sealTool(tool: Tool, options: SealOptions): Seal | null {
  if (tool.tier === 'system' || tool.source.file === null) return null
  const pinned = options.lock.pinnedFiles(tool)
  const files: Record<string, string> = {}
  if (options.mode !== 'off') {
    for (const covered of sealedFiles(tool, options.projectPath)) {
      const digest = digestOf(covered, options)
      if (digest !== null) files[covered.file] = digest
    }
  }
  // What was approved goes before what is there now; bytes that were found tampered with fit neither.
  for (const [file, digest] of Object.entries(pinned ?? {})) if (files[file] !== '') files[file] = digest
  const isClosed = pinned !== null || options.mode === 'require'
  if (!isClosed && Object.keys(files).length === 0) return null
  const links: Record<string, string> = {}
  for (const [file, digest] of Object.entries(files)) {
    const real = nearestRealPath(file)
    if (real === file) continue
    links[file] = real
    files[real] ??= digest
  }
  const enclosure = isClosed ? enclosureOf(tool, options) : null
  return { files, links, closed: enclosure?.folder ?? null, open: enclosure?.open ?? [] }
}

/** What is covered, and what code imports where its format does not say so: each of it is judged by its own signature. */
function sealedFiles(tool: Tool, project: string): readonly CoveredFile[] {
  const covered = coveredFiles(tool, project)
  if (partsOf(tool).files) return covered
  const scope = scopeOf(tool, project)
  const imported = covered.flatMap(({ file }) => importedFiles(file, scope))
  const others = new Set(imported.filter((file) => !covered.some((one) => one.file === file)))
  return [
    ...covered,
    ...[...others].map((file) => ({ file, isShipped: isInside(file, systemSpace()), escapes: false })),
  ]
}

/** Where signatures are required, a format that knows no folder of its own gets nothing but its sealed files from the crib. */
function enclosureOf(tool: Tool, { mode, projectPath }: SealOptions): Enclosure | null {
  const parts = partsOf(tool)
  if (parts.enclosure) return parts.enclosure(tool, projectPath)
  return mode === 'require' ? { folder: scopeOf(tool, projectPath), open: ['node_modules'] } : null
}

/** The crib, but for tools that lie elsewhere, and for a crib that Toolcrib itself stands in: their own folder. */
function scopeOf({ source }: Tool, project: string): string {
  const isOfCrib = isInside(source.file!, project) && !isInside(systemSpace(), project)
  return isOfCrib ? project : dirname(source.file!)
}

/** Of the bytes that were judged; null when nobody signed them and nobody has to. */
function digestOf(covered: CoveredFile, { mode, store }: SealOptions): string | null {
  if (covered.isShipped) return null
  const { verification, digest } = store.judgeBytes(covered.file)
  const isTampered = covered.escapes || verification.status === 'tampered'
  if (verification.status === 'trusted' && !isTampered) return digest
  return isTampered || mode === 'require' ? '' : null
}
