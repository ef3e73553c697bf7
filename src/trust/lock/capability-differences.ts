// What the code of a tool can touch that it could not when it was approved (L3).
import { parseGrant } from '../../tool/capability.ts'
import { type Finding, findingKey, findingWords } from '../../tool/finding.ts'
import { byCodeUnits } from '../../tool/json.ts'
import type { Difference } from './differences.ts'

/** What a pin keeps of it. */
export function capabilitiesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(findingKey))].sort(byCodeUnits)
}

/** Gained ones with the line that has them, then those that are gone. `shown` makes a path readable. */
export function capabilityDifferences(
  before: readonly string[],
  findings: readonly Finding[],
  shown: (file: string) => string,
): Difference[] {
  const known = new Set(before)
  const gained = new Map<string, Finding>()
  for (const finding of findings) {
    const key = findingKey(finding)
    if (!known.has(key) && !gained.has(key)) gained.set(key, finding)
  }
  const now = new Set(findings.map(findingKey))
  return [
    ...[...gained].map(([key, finding]) => {
      const place =
        finding.file === undefined ? `line ${finding.line}` : `${shown(finding.file)}:${finding.line}`
      const risk =
        finding.capability === 'code.unknown' || finding.capability === 'env.read'
          ? ('medium' as const)
          : ('high' as const)
      return {
        field: `capability ${key}`,
        before: null,
        after: place,
        risk,
        what: `it now ${findingWords(finding)} (${place})`,
      }
    }),
    ...before
      .filter((key) => !now.has(key))
      .map((key) => ({
        field: `capability ${key}`,
        before: key,
        after: null,
        risk: 'low' as const,
        what: `it no longer ${wordsOf(key)}`,
      })),
  ]
}

function wordsOf(key: string): string {
  const { capability, scope } = parseGrant(key)
  return findingWords({ capability: capability as Finding['capability'], detail: scope })
}
