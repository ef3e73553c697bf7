// Lists of names with `*` and `prefix.*`, as permissions use them. A pattern without a wildcard is exact.

/** True when one of `patterns` covers `name`; a missing name is covered by `*` alone. */
export function coversName(patterns: readonly string[], name: string | null | undefined): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*') return true
    if (typeof name !== 'string') return false
    return pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
  })
}

const guarded = new Set([
  'tool.code.v1',
  'tool.config.v1',
  'tool.request.v1',
  'tool.response.v1',
  'tool.error.v1',
  'schedule.definition.v1',
])

/** Schemas that steer the crib itself: writing one needs its exact name in the list, never a wildcard. */
function isGuardedSchema(name: string | null | undefined): boolean {
  return typeof name === 'string' && (guarded.has(name) || name.startsWith('system.'))
}

/** True when `patterns` allow writing a crumb of this schema. */
export function mayWriteSchema(patterns: readonly string[], name: string | null | undefined): boolean {
  return isGuardedSchema(name) ? patterns.includes(name as string) : coversName(patterns, name)
}
