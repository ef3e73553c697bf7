// Which tools a changed file concerns: those it defines, and those whose examples stand in it.
import type { Crib } from '../../crib/crib.ts'
import type { Tool } from '../../tool/tool.ts'
import { sidecarFile } from './sidecar-examples.ts'

/** In catalog order; files another tool's code imports count as well. */
export function affectedTools(crib: Crib, paths: readonly string[]): Tool[] {
  const changed = new Set(paths)
  return crib.catalog.tools.filter(
    (tool) =>
      tool.tier !== 'system' &&
      tool.state !== 'shadowed' &&
      [tool.source.file, sidecarFile(tool), ...(tool.source.files ?? [])].some(
        (file) => file !== null && changed.has(file),
      ),
  )
}
