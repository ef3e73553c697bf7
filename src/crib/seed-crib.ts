// Which breadcrumbs do the files of a crib hold? Brings a store up to them, or says what is wrong with them.
import { resolve } from 'node:path'
import type { Crumbs } from '../events/crumbs.ts'
import type { Problem } from '../tool/problem.ts'
import type { BreadcrumbsParts } from './breadcrumbs.ts'

type SeedParts = Pick<BreadcrumbsParts, 'config' | 'spaces' | 'tools' | 'isSetAside'>

/** Gives back what is wrong with the files. */
export async function seed(parts: SeedParts, crumbs: Crumbs): Promise<readonly Problem[]> {
  const [{ seedCrumbs }, { isInCrib, seedDocuments }] = await Promise.all([
    import('../events/seeds.ts'),
    import('../events/seed-files.ts'),
  ])
  const { spaces, tools, isSetAside } = parts
  const roots = rootsOf(parts)
  const documents = seedDocuments(spaces.project, roots, tools(), isSetAside)
  const isThere = (file: string): boolean => isInCrib(resolve(spaces.project, file), roots)
  return (await seedCrumbs(crumbs, documents, isThere)).problems
}

/** What seeding would report; opens no store. */
export async function checkSeeds(parts: SeedParts, nowMs: number): Promise<Problem[]> {
  const [{ seedProblems }, { seedDocuments }, { crumbChecks }] = await Promise.all([
    import('../events/seeds.ts'),
    import('../events/seed-files.ts'),
    import('../automation/crumb-checks.ts'),
  ])
  const { spaces, tools, isSetAside } = parts
  const documents = seedDocuments(spaces.project, rootsOf(parts), tools(), isSetAside)
  return seedProblems(documents, crumbChecks({ tools }), nowMs)
}

function rootsOf({ config, spaces }: SeedParts): string[] {
  return config().roots.map((root) => resolve(spaces.project, root))
}
