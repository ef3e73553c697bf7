// The folders a catalog is made of, highest precedence first.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config/config.ts'
import { userSkillFolders } from '../config/skill-paths.ts'
import type { Spaces } from '../config/spaces.ts'
import type { ScannedFolder } from '../formats/format.ts'
import type { Problem } from '../tool/problem.ts'
import type { OutwardLinks } from './outward-links.ts'
import { walk } from './walk.ts'

export type Spot = Pick<ScannedFolder, 'dir' | 'tier' | 'kind' | 'ai'> & { readonly isRequired: boolean }

export interface ScannedFolders {
  readonly scanned: readonly ScannedFolder[]
  /** What the walks saw, as `Walked.seen`; a folder that does not exist has the time -1. System folders are left out. */
  readonly seen: ReadonlyMap<string, number | null>
  readonly problems: readonly Problem[]
}

/** Project roots, the configured skill folder, the user's folder, extra skill folders, the shipped one. */
export function spotsOf(config: Config, spaces: Spaces): Spot[] {
  const spots: Spot[] = config.roots.map((dir) => ({
    dir,
    tier: 'project',
    kind: 'crib',
    ai: '.ai/',
    isRequired: true,
  }))
  if (config.skills.directory)
    spots.push({ dir: config.skills.directory, tier: 'project', kind: 'skills', ai: '', isRequired: true })
  // In the home folder itself the user's tools are the project's.
  const isProject = config.roots.some((root) => join(root, '.ai') === spaces.userAi)
  if (!isProject) spots.push({ dir: spaces.userAi, tier: 'user', kind: 'ai', ai: '', isRequired: false })
  // Skills that other clients keep in the home folder; their texts ask for nothing (D11a).
  if (!isProject)
    for (const dir of userSkillFolders)
      spots.push({
        dir: join(dirname(spaces.userAi), dir),
        tier: 'user',
        kind: 'skills',
        ai: '',
        isRequired: false,
      })
  for (const dir of config.skills.extraDirs)
    spots.push({ dir, tier: 'user', kind: 'skills', ai: '', isRequired: true })
  spots.push({ dir: spaces.system, tier: 'system', kind: 'ai', ai: '', isRequired: false })
  return spots
}

/** Walks every spot; a configured folder that is missing is a problem, a default one is not. */
export function findScannedFolders(
  config: Config,
  spaces: Spaces,
  endings: readonly string[] = [],
  links?: OutwardLinks,
): ScannedFolders {
  links?.begin()
  const scanned: ScannedFolder[] = []
  const problems: Problem[] = []
  const looked = new Map<string, number | null>()
  const seen = new Set<string>()
  for (const { isRequired, ...spot } of spotsOf(config, spaces)) {
    if (seen.has(spot.dir)) continue
    seen.add(spot.dir)
    if (!existsSync(spot.dir)) {
      looked.set(spot.dir, -1)
      if (isRequired) problems.push(missingFolder(spot, spaces))
      continue
    }
    const walked = walk(spot.dir, {
      everythingUnder: `${spot.ai}tools/`,
      endings,
      holdsSkills: spot.kind === 'skills',
      mayRead: spot.tier === 'project' && links ? (...link) => links.mayRead(...link) : undefined,
    })
    problems.push(...walked.problems)
    if (spot.tier !== 'system') for (const [path, time] of walked.seen) looked.set(path, time)
    scanned.push({ ...spot, order: scanned.length, files: walked.files })
  }
  return { scanned, seen: looked, problems }
}

function missingFolder(spot: Pick<Spot, 'dir' | 'kind'>, spaces: Spaces): Problem {
  const isSkills = spot.kind === 'skills'
  return {
    code: isSkills ? 'skill-root-missing' : 'root-missing',
    severity: 'warning',
    message: `The folder ${spot.dir} does not exist.`,
    hint: `Make it, or take it out of ${isSkills ? 'skills.directory or skills.extraDirs' : 'roots'} in toolcrib.yaml.`,
    file: join(spaces.project, 'toolcrib.yaml'),
  }
}
