// What `toolcrib new` writes: files of system/templates with the names of the new tool filled in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemSpace } from '../config/spaces.ts'

/** Path under the crib → text. */
export interface Files {
  readonly [path: string]: string
}

/** What `new` must know of a format beside the files it writes. */
export interface Starter {
  /** What such a tool is, for those who choose a format on a terminal. */
  readonly about: string
  /** Of the file; the first is taken when nobody names one. */
  readonly languages: readonly string[]
  /** An id as its tools have them, shown where one is asked for. */
  readonly sampleId: string
  /** The id under which the new tool is called. */
  refOf(id: string): string
  /** Most characters of that id. */
  readonly maxRefLength?: number
  /** The new file is an MCP server, which `.mcp.json` must name. */
  readonly isServer?: true
}

interface Names {
  readonly id: string
  readonly category: string
  readonly kebab: string
  readonly snake: string
  readonly title: string
}

/** An id in the spellings that formats and templates need. */
export function namesOf(id: string): Names {
  const parts = id.split('/')
  const stem = parts.at(-1)!
  const kebab = stem.replaceAll('_', '-').toLowerCase().replace(/-+/g, '-').replace(/^-|-$/g, '')
  return {
    id,
    category: parts.slice(0, -1).join('/'),
    kebab,
    snake: kebab.replaceAll('-', '_'),
    title: kebab
      .split('-')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(' '),
  }
}

/** `files`: path under the crib → template in `system/templates`, without its ending. */
export function fillTemplates(id: string, files: Files): Files {
  const folder = join(systemSpace(), 'templates')
  return Object.fromEntries(
    Object.entries(files).map(([path, template]) => {
      const text = readFileSync(join(folder, `${template}.tmpl`), 'utf8')
      // The folder of the editor schemas, as the file names it.
      const schemas = `${'../'.repeat(path.split('/').length - 1)}.toolcrib/schemas`
      const words: { readonly [key: string]: string } = { ...namesOf(id), schemas }
      return [path, text.replace(/\{\{(\w+)\}\}/g, (whole, key: string) => words[key] ?? whole)]
    }),
  )
}
