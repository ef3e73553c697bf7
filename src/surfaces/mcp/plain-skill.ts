// A skill's SKILL.md as the skills extension wants it, where its own is not like that: a plain name, a short description,
// metadata that is a map of texts. Nested values stand as JSON text; everything else is kept, and so is the body (U6).
import { parse, stringify } from 'yaml'
import { isPlainObject } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { manifest, skillFile } from './skill-files.ts'

/** The scheme of addresses of such skills; `skill://` stays the file as it is. */
export const plainScheme = 'skill+text'

const maxDescription = 1_024
const maxCompatibility = 500
const fence = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

/** Lower case letters, digits and single hyphens. */
export function plainName({ id }: Tool): string {
  const name = id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '')
  return name || 'skill'
}

export function plainManifest(skill: Tool): string {
  const text = skillFile(skill, manifest)!
    .toString('utf8')
    .replace(/^\uFEFF/, '')
  const [whole = '', yaml = ''] = fence.exec(text) ?? []
  const { metadata, compatibility, ...rest } = frontmatterOf(yaml)
  const plain: { [key: string]: unknown } = {
    ...rest,
    name: plainName(skill),
    description: cut(skill.description || skill.id, maxDescription),
  }
  if (compatibility !== undefined) plain['compatibility'] = cut(textOf(compatibility), maxCompatibility)
  if (isPlainObject(metadata))
    plain['metadata'] = Object.fromEntries(
      Object.entries(metadata).map(([key, value]) => [key, textOf(value)]),
    )
  const written = stringify(plain, {
    lineWidth: 0,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
  })
  return `---\n${written}---\n${text.slice(whole.length)}`
}

/** What is no YAML of its own is left out: the definition was read by other rules. */
function frontmatterOf(yaml: string): { readonly [key: string]: unknown } {
  try {
    const read: unknown = parse(yaml)
    return isPlainObject(read) ? read : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

/** By characters, as the extension counts them. */
function cut(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : characters.slice(0, most).join('')
}
