// The verdict on files and tools, whatever the trust mode of the crib is.
import type { Crib } from '../../crib/crib.ts'
import { shortPath } from '../../files/is-inside.ts'
import type { TrustStatus } from '../../tool/tool.ts'
import { judgeTool } from '../../trust/judge-tool.ts'
import type { NamedFile } from './named-files.ts'

export interface TrustItem {
  /** Relative to the crib's root where it lies inside. */
  readonly path: string
  /** The tool it belongs to. */
  readonly id?: string
  readonly status: TrustStatus
  readonly keyId?: string
  readonly signedAt?: string
  readonly owner?: string
  /** Why, when it is not trusted. */
  readonly reason?: string
  /** What to do about that. */
  readonly hint?: string
}

/** Judges each file by itself. */
export function verifyFiles(crib: Crib, files: readonly NamedFile[]): TrustItem[] {
  return files.map(({ file, tool }) => {
    const id = tool?.id ?? crib.catalog.inFile(file)[0]?.id
    const { verdict: _, warning: __, keyTier: ___, ...trust } = crib.trust.judgeFile(file)
    return { path: shortPath(file, crib.root), id, ...trust }
  })
}

/** Judges every tool of the project and the user, each with everything it is made of. */
export function verifyTools(crib: Crib): TrustItem[] {
  return crib
    .list({ all: true })
    .filter((tool) => tool.tier !== 'system' && tool.source.file !== null && tool.kind !== 'server')
    .map((tool) => {
      const { keyTier: _, ...trust } = judgeTool(tool, crib.trust, {
        mode: 'warn',
        projectPath: crib.root,
      })
      return { path: shortPath(tool.source.file!, crib.root), id: tool.id, ...trust }
    })
}
