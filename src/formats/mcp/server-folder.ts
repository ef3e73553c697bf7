// Where a crib keeps what belongs to one foreign server: its package, its home, and what it wrote beside its program.
import { join } from 'node:path'

/** Below the state folder; a server's name may hold what no path takes. */
function serverFolder(state: string, name: string): string {
  return join(state, 'servers', encodeURIComponent(name).replaceAll('.', '%2E'))
}

/** Where `toolcrib add` installs its package. */
export function packageFolder(state: string, name: string): string {
  return join(serverFolder(state, name), 'package')
}

/** Its HOME, which lasts. */
export function homeFolder(state: string, name: string): string {
  return join(serverFolder(state, name), 'home')
}

/** What a server wrote beside its own program (D10). */
export function layerFolder(state: string, name: string): string {
  return join(serverFolder(state, name), 'layer')
}

/** In the folder of the package: what was installed, with version and integrity. */
export const installedFile = 'toolcrib-package.json'
