// Paths as a reader knows them.
import { info } from '../state/live.ts'
import { say } from '../words/say.ts'

/** Paths inside the crib are shown from its folder on. */
export function withinCrib(path: string): string {
  const root = info.value?.root
  if (!root || !`${path}/`.startsWith(`${root}/`)) return path
  return path === root ? say('. (the crib)') : path.slice(root.length + 1)
}
