// What `check` says of signature lines that look like one and are none (R69, R71).
import type { Problem } from '../tool/problem.ts'
import type { Tool } from '../tool/tool.ts'
import type { TrustStore } from './trust-store.ts'

const words = {
  'signature-malformed': 'has a signature line that cannot be read, so it counts as unsigned',
  'signature-misplaced': 'has its signature line too far down, so it counts as unsigned',
}

/** One problem per file, at the line. */
export function signatureProblems(tools: readonly Tool[], store: TrustStore): Problem[] {
  const seen = new Set<string>()
  return tools.flatMap(({ id, tier, source: { file } }) => {
    if (file === null || tier === 'system' || seen.has(file)) return []
    seen.add(file)
    const { warning } = store.judgeFile(file)
    if (!warning) return []
    return {
      code: warning.code,
      severity: 'warning' as const,
      message: `${file} ${words[warning.code]}.`,
      hint: `Sign it anew: \`toolcrib sign ${id}\` replaces the line.`,
      file,
      line: warning.line,
      toolId: id,
    }
  })
}
