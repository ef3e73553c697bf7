// Protected places that a folder's own grants name (G2, G6): a grant opens a protected place only when the user gave it,
// in settings of the user's own or by accepting the folder.
import type { Ask } from '../config/folder-asks.ts'
import type { FolderTrust } from '../config/folder-trust.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { scopeFault, scopePath } from '../sandbox/scope-path.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import { jsonDigest } from '../tool/json.ts'
import type { ProtectedSet } from '../trust/protected-set.ts'

interface FolderGrants {
  readonly project: string
  readonly loaded: Pick<LoadedConfig, 'folderGrants'>
}

/** What the folder's grants to write name, by path. */
function namedPlaces({ project, loaded }: FolderGrants): Map<string, string> {
  const places = new Map<string, string>()
  for (const grant of loaded.folderGrants) {
    const { capability, scope } = parseGrant(grant)
    if (scope === undefined || scopeFault(scope) || !coversCapability(capability, 'fs.write')) continue
    places.set(scopePath('fs.write', scope, project), grant)
  }
  return places
}

/** Those that are protected, for the user to decide. */
export function placeAsks(given: FolderGrants & { readonly file: string }, set: ProtectedSet): Ask[] {
  return [...namedPlaces(given)].flatMap(([path, grant]) => {
    const place = set.why(path)
    return place ? [{ ...askOf(grant), what: `change ${path}: ${place.reason}`, file: given.file }] : []
  })
}

/** Those that nobody accepted. */
export function closedPlaces(given: FolderGrants, folder: FolderTrust): string[] {
  return [...namedPlaces(given)].flatMap(([path, grant]) => {
    const { key, digest } = askOf(grant)
    return folder.accepts(key, digest) ? [] : [path]
  })
}

function askOf(grant: string): Pick<Ask, 'key' | 'digest'> {
  return { key: `place ${grant}`, digest: jsonDigest(grant) }
}
