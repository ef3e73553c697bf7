// The store and the key of the secrets are hidden from tools wherever they are (G20): in a hidden folder, or outside
// all that tools are shown. Settings that put them elsewhere are refused.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Spaces } from '../config/spaces.ts'
import { isInside } from '../files/is-inside.ts'
import { nearestRealPath } from '../files/real-path.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import type { Problem } from '../tool/problem.ts'
import { hiddenPlaces } from './make-profile.ts'
import { scopeFault, scopePath } from './scope-path.ts'

/** The settings with a fault where a tool could reach what must be hidden from it. */
export function withHiddenStore(loaded: LoadedConfig, spaces: Spaces): LoadedConfig {
  const problem = exposed(loaded, spaces)
  if (!problem) return loaded
  return { ...loaded, problems: [...loaded.problems, problem], fault: loaded.fault ?? problem }
}

function exposed({ config, origins }: LoadedConfig, spaces: Spaces): Problem | undefined {
  const hidden = hiddenPlaces(spaces).map(nearestRealPath)
  const shown = shownPlaces(config, spaces)
  for (const [key, value] of [
    ['store', config.store],
    ['secrets.file', config.secrets.file],
  ] as const) {
    if (value === null || value === ':memory:' || /^(env|[a-z]+):\/\//i.test(value)) continue
    const path = nearestRealPath(resolve(spaces.project, value))
    if (hidden.some((folder) => isInside(path, folder))) continue
    const grant = shown.find((place) => isInside(path, place.path))?.grant ?? skillAround(path, spaces)
    if (grant === undefined) continue
    const origin = origins[key]
    return {
      code: 'store-exposed',
      severity: 'error',
      message: `${key} is ${path}, where tools may ${grant.startsWith('fs.write') ? 'write' : 'read'} (${grant}).`,
      hint: 'Put it under .toolcrib/, or outside the crib.',
      file: origin?.endsWith('.yaml') ? origin : undefined,
    }
  }
  return undefined
}

/** The skill whose files, which clients are shown, it would be among. */
function skillAround(path: string, { project }: Spaces): string | undefined {
  const root = nearestRealPath(project)
  for (let at = dirname(path); isInside(at, root); at = dirname(at))
    if (existsSync(join(at, 'SKILL.md'))) return `skill ${join(at, 'SKILL.md')}`
  return undefined
}

/** Every folder that some grant opens, those for writing first. */
function shownPlaces({ grants }: Config, { project }: Spaces) {
  const all = [grants.default, ...Object.values(grants.tools)].flat()
  return ['fs.write', 'fs.read'].flatMap((capability) =>
    all.flatMap((grant) => {
      const { capability: pattern, scope } = parseGrant(grant)
      if (!coversCapability(pattern, capability) || (scope !== undefined && scopeFault(scope))) return []
      const path = scope === undefined ? project : scopePath(capability, scope, project)
      return [
        { grant: `${capability}${scope === undefined ? '' : `:${scope}`}`, path: nearestRealPath(path) },
      ]
    }),
  )
}
