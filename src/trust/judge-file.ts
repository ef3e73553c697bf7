// The verdict on one file alone: a definition as lists show it, a configuration file before it is used.
import { existsSync, readFileSync } from 'node:fs'
import type { TrustMode } from '../config/config.ts'
import { isInside } from '../files/is-inside.ts'
import type { VerifyFile } from '../formats/format.ts'
import type { Trust } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import { commentPrefix } from './signature-line.ts'
import { decode, type TrustStore } from './trust-store.ts'

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

/**
 * The check on modules that are about to run in this process, by the very bytes: where trust is required they must be
 * signed like the tool they belong to. `shipped`: folders of Toolcrib's own code.
 */
export function moduleVerifier(store: TrustStore, mode: TrustMode, shipped: readonly string[]): VerifyFile {
  const verify = configVerifier(store, mode)
  return (file, bytes) => {
    verify(file, bytes)
    if (mode !== 'require' || shipped.some((folder) => isInside(file, folder))) return
    const text = decode(bytes)
    if (text !== null && store.verifyText(file, text, detachedOf(file)).status === 'trusted') return
    throw new ToolError('TRUST_UNSIGNED', `${file} is about to run and is not signed.`, {
      hint: `Sign it: \`toolcrib sign ${file}\`, or set trust: warn in toolcrib.yaml.`,
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
