// What a skill may be called.
import { guardNames } from './reserved.ts'

const shape = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Names no skill may take: guards, built-in metadata keys, built-in tools. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...guardNames,
  'model',
  'paths',
  'mcp',
  'default',
  'skill-list',
  'skill-describe',
  'agent-discover',
  'tool-call',
])

export function isSkillName(name: string): boolean {
  return name.length <= 64 && shape.test(name)
}

/** The closest name that is allowed: `My_Tool` → `my-tool`. */
export function suggestName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '')
}

/** The name a file gives its skill: the file name before `.skill.*`, or the folder of a `SKILL.md`. */
export function nameOfFile(path: string): string {
  const parts = path.split('/')
  const file = parts.at(-1)!
  if (file === 'SKILL.md' || file === 'skill.md') return parts.at(-2) ?? 'skill'
  return file.replace(/\.skill\.(md|js|mjs|ts)$/, '').replace(/\.(md|js|mjs|ts)$/, '')
}

/** Tags as they are compared: lower-case words joined by hyphens, no repeats. */
export function normaliseTags(given: unknown): string[] {
  const list = typeof given === 'string' ? [given] : Array.isArray(given) ? given : []
  const tags = list
    .filter((tag) => typeof tag === 'string' || typeof tag === 'number')
    .map((tag) =>
      String(tag)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, ''),
    )
  return [...new Set(tags.filter((tag) => tag !== ''))]
}
