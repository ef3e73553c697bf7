// `toolcrib/skill`: helpers and types for people who write skills.
import type { ToolFrontmatter } from './runtimes/skill/context.ts'

export type { Context, ToolDef, ToolFrontmatter, ToolRef } from './runtimes/skill/context.ts'
export { ctxTarget } from './runtimes/skill/context.ts'
export { pathGet, pathQuery, pathSet } from './tool/path.ts'

/**
 * Gives back what it gets; editors then know the type.
 * @example
 * export const frontmatter = defineSkill({ name: 'greet', description: 'Greets by name' })
 */
export function defineSkill<const T extends ToolFrontmatter>(frontmatter: T): T {
  return frontmatter
}
