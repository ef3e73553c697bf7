// Signs files one by one: each is validated first, and one that is refused stops no other.
import type { Crib } from '../../crib/crib.ts'
import { shortPath } from '../../files/is-inside.ts'
import { defined } from '../../tool/defined.ts'
import { sha256 } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import { isToolError } from '../../tool/tool-error.ts'
import { signFile } from '../../trust/sign-file.ts'
import { loadSigningKey, signingFolder } from '../../trust/signing-key.ts'
import type { NamedFile } from './named-files.ts'
import type { TrustItem } from './verify-files.ts'

/** Signs with the user's key; throws SECRET_MISSING when there is none. */
export async function signFiles(crib: Crib, files: readonly NamedFile[]): Promise<TrustItem[]> {
  const key = loadSigningKey(signingFolder(crib.spaces.userAi, crib.env))
  const owner = crib.trust.keys.find((known) => known.keyId === key.keyId)?.owner
  const { problems } = await crib.check({ paths: files.map(({ file }) => file) })
  return files.map(({ file, tool }) => {
    const id = tool?.id ?? crib.catalog.inFile(file)[0]?.id
    const shown = { path: shortPath(file, crib.root), id }
    try {
      const { keyId, signedAt } = signFile(file, {
        key,
        system: crib.spaces.system,
        validate: (path, text) => [...changedSince(crib, path, text), ...definitionErrors(problems, path)],
      })
      return defined({
        ...shown,
        status: owner === undefined ? ('untrusted' as const) : ('trusted' as const),
        keyId,
        signedAt,
        owner: owner || undefined,
        reason: owner === undefined ? `you do not trust your own key ${keyId}` : undefined,
      })
    } catch (error) {
      if (!isToolError(error) && !(error instanceof Error && 'code' in error)) throw error
      const hint = isToolError(error) ? error.hint : undefined
      return defined({ ...shown, status: 'invalid' as const, reason: (error as Error).message, hint })
    }
  })
}

/** What a signature is meant to fix is no reason not to sign. */
function definitionErrors(problems: readonly Problem[], file: string): Problem[] {
  return problems.filter((problem) => problem.file === file && problem.code !== 'drift')
}

/** What was validated must be what is signed. */
function changedSince(crib: Crib, file: string, text: string): Problem[] {
  const known = crib.catalog.inFile(file)[0]?.source.digest
  if (known === undefined || known === sha256(text)) return []
  const message = 'the file changed while it was being read'
  return [{ code: 'file-changed', severity: 'error', message, hint: 'Sign it again.', file, line: 1 }]
}
