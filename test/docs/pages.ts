// The pages of the documentation, by path under the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../../', import.meta.url))

export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/rye/README.md',
  'system/skills/toolcrib/SKILL.md',
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
].filter((path) => existsSync(join(repository, path)))

export function readPage(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}
