// What is in a skill's prompt or `skill://` resource. Reading one runs nothing: a prompt is the skill's text with
// its arguments put in.
import { relative } from 'node:path'
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import type { Tool } from '../../tool/tool.ts'
import { valueFromText } from '../cli/params-from-flags.ts'
import { plainManifest, plainName, plainScheme } from './plain-skill.ts'
import { contentOf, folderOf, manifest, skillFile, skillFiles } from './skill-files.ts'
import { propertiesOf, requiredOf } from './skills.ts'

/** The one message of a prompt. `expand` puts the arguments into the text. */
export function promptText(
  skill: Tool,
  given: { readonly [name: string]: string },
  expand: (skill: Tool, args: { readonly [name: string]: unknown }) => string,
): string {
  const properties = propertiesOf(skill)
  const missing = [...requiredOf(skill)].filter((name) => given[name] === undefined)
  if (missing.length > 0)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `The prompt ${skill.id} needs ${missing.join(', ')}.`,
    )
  const args: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(given)) args[name] = valueFromText(text, properties[name])
  return expand(skill, args)
}

/** How the other files of a skill's folder are read and run; undefined where there are none (U6). */
export function aboutFiles(skill: Tool, root: string): string | undefined {
  const [, ...files] = skillFiles(skill)
  const folder = folderOf(skill)
  if (folder === undefined || files.length === 0) return undefined
  return [
    `Files of this skill: ${files.join(', ')}`,
    `Read one as the resource skill://${skill.id}/<file>, or with the tool read_skill {"name":"${skill.id}","file":"<file>"}.`,
    `To run a script, use a tool that runs commands; the folder is ${relative(root, folder) || '.'} in the crib.`,
  ].join('\n')
}

/** The skill and the path that an address names; undefined where it is none of this crib's. */
export function skillAt(
  skills: ReadonlyMap<string, Tool>,
  uri: string,
): { readonly skill: Tool; readonly path: string; readonly isPlain: boolean } | undefined {
  const [, scheme, host = '', rest = ''] = /^(skill(?:\+text)?):\/\/([^/]+)(?:\/(.*))?$/.exec(uri) ?? []
  if (scheme === undefined) return undefined
  const isPlain = scheme === plainScheme
  const name = decoded(host)
  const skill = isPlain ? [...skills.values()].find((one) => plainName(one) === name) : skills.get(name)
  return skill && { skill, path: rest === '' ? manifest : decoded(rest), isPlain }
}

/** Reads `skill://name`, `skill://name/SKILL.md` or another file of a skill's folder. */
export function readSkillResource(skills: ReadonlyMap<string, Tool>, uri: string): ReadResourceResult {
  const found = skillAt(skills, uri)
  if (!found) throw new ResourceNotFoundError(uri)
  const { skill, path, isPlain } = found
  const bytes = isPlain && path === manifest ? Buffer.from(plainManifest(skill)) : skillFile(skill, path)
  if (!bytes) throw new ResourceNotFoundError(uri)
  const content = contentOf(uri, bytes)
  return { contents: [path === manifest ? { ...content, mimeType: 'text/markdown' } : content] }
}

/** A part of a URI in plain text; what is not encoded properly stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
