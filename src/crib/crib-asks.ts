// What does a crib's folder ask for beyond the defaults, and what of it does not count yet (G2)?
import { join } from 'node:path'
import type { Ask } from '../config/folder-asks.ts'
import { notAccepted } from '../config/folder-trust.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Problem } from '../tool/problem.ts'
import type { CribCore } from './crib-core.ts'
import { serverAsks } from './folder-servers.ts'
import { nameAsks } from './name-asks.ts'
import { placeAsks } from './place-asks.ts'
import { secretAsks } from './secret-asks.ts'

/** All of it, accepted or not. */
export function asksOf(crib: CribCore, loaded: LoadedConfig): Ask[] {
  const { tools } = crib.catalog
  return [
    ...loaded.asks,
    ...crib.links.asks,
    ...ofPlaces(crib, loaded),
    ...serverAsks(tools),
    ...nameAsks(tools, crib.lock),
    ...secretAsks(tools, crib),
  ]
}

/** What of the protected places that its grants name, and of the links out of it, does not count. */
export function placeProblemsOf(crib: CribCore, loaded: LoadedConfig): Problem[] {
  const { folder } = crib
  const asks = [...ofPlaces(crib, loaded), ...crib.links.asks]
  return folder.unaccepted(asks).map((ask) => notAccepted(ask, folder.standingOf(ask)))
}

/** Protected places that the folder's grants name. */
function ofPlaces(crib: CribCore, loaded: LoadedConfig): Ask[] {
  // What is protected is known once the formats are loaded, which is done where there are such grants.
  if (loaded.folderGrants.length === 0) return []
  const { project } = crib.spaces
  return placeAsks({ project, loaded, file: join(project, 'toolcrib.yaml') }, crib.protectedSet)
}
