// What a script that is added needs, as its code tells (L9). It stands in the definition where reading tells all of it:
// a tool that states its needs gets nothing beyond them, so half a list would break it.

import type { Crib } from '../../../crib/crib.ts'
import { shortPath } from '../../../files/is-inside.ts'
import { isObserved } from '../../../tool/capabilities.ts'
import { type Finding, findingWords } from '../../../tool/finding.ts'
import type { ScriptTarget } from './script-target.ts'

export interface ScriptNeeds {
  /** Undefined: reading does not tell all of it. */
  readonly requires: readonly string[] | undefined
  readonly notes: readonly string[]
}

/** Most things that a note names, and most places of each. */
const maxNamed = 4
const maxPlaces = 2

export async function needsOf(crib: Crib, { file, name }: ScriptTarget): Promise<ScriptNeeds> {
  if (file === undefined) return { requires: undefined, notes: [] }
  const findings = (await crib.inference()).ofScript(file)
  const hidden = findings.find(({ capability }) => /^(?:code\.|shell\.)/.test(capability))
  const told = placesByWords(findings.filter(isWorthSaying), crib.root)
  const more = told.length > maxNamed ? ` and ${told.length - maxNamed} more` : ''
  const notes = told.length > 0 ? [`${name} ${told.slice(0, maxNamed).join(', ')}${more}.`] : []
  if (!hidden) return { requires: requiresOf(findings), notes }
  return {
    requires: undefined,
    notes: [
      ...notes,
      `What ${name} needs is not stated, because it ${placed(hidden, crib.root)}. Watch it run instead: add it with --learn.`,
    ],
  }
}

/** As a definition states it; scopes are for grants. */
function requiresOf(findings: readonly Finding[]): string[] {
  const names = findings
    .map(({ capability }) => capability)
    .filter((name) => name === 'env.read' || !isObserved(name))
  return [...new Set(names)].sort()
}

/** Files of the crib and variables are nothing to stop at. */
function isWorthSaying({ capability, detail = '' }: Finding): boolean {
  if (capability.startsWith('fs.')) return /^[~/]/.test(detail) && !/^\/(?:tmp|dev)\//.test(detail)
  return !['env.read', 'code.unknown', 'code.dynamic', 'shell.execute'].includes(capability)
}

/** `reaches hosts (get.sh:3, get.sh:9)`: each thing once, with its first places. */
function placesByWords(findings: readonly Finding[], root: string): string[] {
  const places = new Map<string, string[]>()
  for (const finding of findings) {
    const words = findingWords(finding)
    places.set(words, [...(places.get(words) ?? []), placeOf(finding, root)])
  }
  return [...places].map(([words, all]) => {
    const unique = [...new Set(all)]
    const more = unique.length > maxPlaces ? ` and ${unique.length - maxPlaces} more` : ''
    return `${words} (${unique.slice(0, maxPlaces).join(', ')}${more})`
  })
}

function placed(finding: Finding, root: string): string {
  return `${findingWords(finding)} (${placeOf(finding, root)})`
}

function placeOf({ file, line }: Finding, root: string): string {
  return `${file === undefined ? '' : shortPath(file, root)}:${line}`
}
