// The verdict on a whole tool: every covered file is judged, and the worst outcome decides.

import { existsSync, readFileSync } from 'node:fs'
import type { TrustMode } from '../config/config.ts'
import type { VerifyFile } from '../formats/format.ts'
import type { Tool, Trust, TrustStatus } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { type CoveredFile, coveredFiles } from './covered-files.ts'
import { commentPrefix } from './signature-line.ts'
import { decode, type TrustStore } from './trust-store.ts'

/** Worst last. */
const order: readonly TrustStatus[] = ['trusted', 'unchecked', 'unsigned', 'untrusted', 'invalid', 'tampered']

export interface JudgeOptions {
  readonly mode: TrustMode
  /** The tools of the catalog. */
  readonly tools: Iterable<Tool>
  readonly projectPath: string
}

/** Judges a tool with everything it is made of. */
export function judgeTool(tool: Tool, store: TrustStore, options: JudgeOptions): Trust {
  if (options.mode === 'off') return { status: 'unchecked' }
  if (tool.source.file === null) return { status: 'unchecked', reason: 'it is made in code' }
  const judged = coveredFiles(tool, options.tools, options.projectPath).map((covered) => ({
    covered,
    trust: judgeCovered(covered, store),
  }))
  const own = judged[0]!
  const worst = judged.reduce((a, b) =>
    order.indexOf(b.trust.status) > order.indexOf(a.trust.status) ? b : a,
  )
  if (worst === own || worst.trust.status === own.trust.status) return own.trust
  return { ...worst.trust, reason: `${worst.covered.file}: ${worst.trust.reason ?? worst.trust.status}` }
}

function judgeCovered(covered: CoveredFile, store: TrustStore): Trust {
  if (covered.tier === 'system') return { status: 'trusted', owner: 'Toolcrib' }
  if (covered.escapes) return { status: 'tampered', reason: 'it leads out of its folder by a symbolic link' }
  const { verdict: _, warning: __, keyTier, ...trust } = store.judgeFile(covered.file)
  return keyTier ? { ...trust, keyTier } : trust
}

/**
 * The check on configuration files: unsigned ones are in order in every mode, changed ones are refused, and those of
 * an unknown key are refused where trust is required.
 */
export function configVerifier(store: TrustStore, mode: TrustMode): VerifyFile {
  return (file, bytes) => {
    if (mode === 'off') return
    const text = decode(bytes)
    if (text === null) return
    const { status, reason } = store.verifyText(file, text, detachedOf(file))
    if (status === 'tampered')
      throw new ToolError('TRUST_TAMPERED', `${file} was changed after it was signed: ${reason}.`, {
        hint: `If the change is yours, sign it again: \`toolcrib sign ${file}\`.`,
      })
    if (status === 'untrusted' && mode === 'require')
      throw new ToolError('TRUST_UNTRUSTED', `${file} is signed by a key you do not trust: ${reason}.`, {
        hint: 'If you trust its owner: `toolcrib keys trust <key file>`.',
      })
  }
}

/** The verdict on a defining file alone, as lists show it; what a call needs is judged when the call is made. */
export function listingJudge(
  store: TrustStore,
  mode: TrustMode,
): { stamp(): string; judge(file: string, text: string): Trust } {
  return {
    stamp: () => `${mode} ${store.stamp}`,
    judge: (file, text) => {
      if (mode === 'off') return { status: 'unchecked' }
      const { verdict: _, warning: __, ...trust } = store.verifyText(file, text, detachedOf(file))
      return trust
    },
  }
}

function detachedOf(file: string): string | null {
  return commentPrefix(file) === null && existsSync(`${file}.sig`)
    ? readFileSync(`${file}.sig`, 'utf8')
    : null
}
