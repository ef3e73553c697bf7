// Where a rye tool stands: the paths its templates may name, and its anchor, the folder that is its library.
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import type { Spaces } from '../../config/spaces.ts'
import type { RyePlan } from '../../tool/plans/rye-plan.ts'

export interface Layout {
  readonly isAnchored: boolean
  readonly toolPath: string
  readonly toolDir: string
  readonly anchorPath: string
  /** The names of R34 that are paths. */
  readonly names: { readonly [name: string]: string }
}

/** Finds the paths of a tool; looks at the disk only for the anchor's markers. */
export function layoutOf(plan: RyePlan, spaces: Spaces): Layout {
  const toolPath = plan.codeFile ?? plan.toolFile
  const toolDir = dirname(toolPath)
  const isAnchored = hasAnchor(plan, toolDir)
  const roots = { tool_dir: toolDir, tool_parent: dirname(toolDir), project_path: spaces.project }
  const anchorPath = isAnchored ? roots[plan.anchor!.root] : toolDir
  const lib = plan.anchor?.lib
  return {
    isAnchored,
    toolPath,
    toolDir,
    anchorPath,
    names: {
      tool_path: toolPath,
      tool_dir: toolDir,
      tool_parent: dirname(toolDir),
      anchor_path: anchorPath,
      runtime_lib: lib === undefined ? '' : besideRuntime(plan, lib),
      project_path: spaces.project,
      user_space: dirname(spaces.userAi),
      system_space: spaces.system,
    },
  }
}

/** A path that a runtime entry gives relative to its own file. */
export function besideRuntime(plan: RyePlan, path: string): string {
  return resolve(dirname(plan.runtimeFile ?? plan.toolFile), path)
}

function hasAnchor(plan: RyePlan, toolDir: string): boolean {
  if (!plan.anchor || plan.anchor.mode === 'never') return false
  if (plan.anchor.mode === 'always') return true
  return plan.anchor.markersAny.some((marker) => existsSync(join(toolDir, marker)))
}

/** Puts folders before and after those a path variable has; what is there twice stays at its first place. */
export function joinPaths(
  prepend: readonly string[],
  current: string | undefined,
  append: readonly string[],
): string {
  const parts = [...prepend, ...(current ? current.split(delimiter) : []), ...append]
  return [...new Set(parts.filter((part) => part !== ''))].join(delimiter)
}
