// Names and texts as the written files need them.

import type { Example } from '../tool/tool.ts'
import { yamlText } from './yaml-text.ts'

export const dashed = (id: string) =>
  id
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()

export const snaked = (id: string) => dashed(id).replaceAll('-', '_')

export function stemOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1)
}

export function categoryOf(id: string): string {
  return id.includes('/') ? id.slice(0, id.lastIndexOf('/')) : ''
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

export function modeline(path: string, schema: string): string {
  const up = '../'.repeat(path.split('/').length - 1)
  return `# yaml-language-server: $schema=${up}.toolcrib/schemas/${schema}.json\n`
}

export function examplesFile(
  path: string,
  id: string,
  examples: readonly Example[],
  isShared: boolean,
): { [path: string]: string } {
  if (examples.length === 0) return {}
  return { [path]: `${modeline(path, 'examples')}${yamlText(isShared ? { [id]: examples } : examples)}` }
}
