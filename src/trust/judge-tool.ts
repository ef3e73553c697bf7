// The verdict on a whole tool: every covered file is judged, and the worst outcome decides.
import type { TrustMode } from '../config/config.ts'
import type { Tool, Trust, TrustStatus } from '../tool/tool.ts'
import { type CoveredFile, coveredFiles } from './covered-files.ts'
import type { TrustStore } from './trust-store.ts'
import type { Verification } from './verification.ts'

/** Worst last. */
const order: readonly TrustStatus[] = ['trusted', 'unchecked', 'unsigned', 'untrusted', 'invalid', 'tampered']

export interface JudgeOptions {
  readonly mode: TrustMode
  readonly projectPath: string
}

/** Judges a tool with everything it is made of. */
export function judgeTool(tool: Tool, store: TrustStore, options: JudgeOptions): Trust {
  if (options.mode === 'off') return { status: 'unchecked' }
  if (tool.source.file === null) return { status: 'unchecked', reason: 'it is made in code' }
  const files = coveredFiles(tool, options.projectPath)
  if (files.length === 1) return judgeCovered(files[0]!, store)
  const judged = files.map((covered) => ({ covered, trust: judgeCovered(covered, store) }))
  const own = judged[0]!
  const worst = judged.reduce((a, b) =>
    order.indexOf(b.trust.status) > order.indexOf(a.trust.status) ? b : a,
  )
  if (worst === own || worst.trust.status === own.trust.status) return own.trust
  return { ...worst.trust, reason: `${worst.covered.file}: ${worst.trust.reason ?? worst.trust.status}` }
}

function judgeCovered(covered: CoveredFile, store: TrustStore): Trust {
  if (covered.isShipped) return { status: 'trusted', owner: 'Toolcrib' }
  if (covered.escapes) return { status: 'tampered', reason: 'it leads out of its folder by a symbolic link' }
  const { verification } = store.judgeBytes(covered.file)
  let trust = verdicts.get(verification)
  if (!trust) {
    const { verdict: _, warning: __, ...rest } = verification
    trust = rest
    verdicts.set(verification, trust)
  }
  return trust
}

/** The store gives the same verification for as long as nothing changes. */
const verdicts = new WeakMap<Verification, Trust>()
