// What is in a skill's prompt or `skill://` resource. Reading one runs nothing: a prompt is the skill's text with
// its arguments put in.
import { basename, dirname, extname, sep } from 'node:path'
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { readBelow } from '../../files/open-below.ts'
import type { Tool } from '../../tool/tool.ts'
import { valueFromText } from '../cli/params-from-flags.ts'
import { propertiesOf, requiredOf } from './skills.ts'

const maxFileBytes = 10 * 1024 * 1024

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

/** Whether an address is that of a skill of this crib; a foreign server may have others. */
export function isSkillAddress(skills: ReadonlyMap<string, Tool>, uri: string): boolean {
  const [, name] = /^skill:\/\/([^/]+)/.exec(uri) ?? []
  return name !== undefined && skills.has(decoded(name))
}

/** Reads `skill://name`, `skill://name/SKILL.md` or another file of a skill's folder. */
export function readSkillResource(skills: ReadonlyMap<string, Tool>, uri: string): ReadResourceResult {
  const [, name, path] = /^skill:\/\/([^/]+)(?:\/(.*))?$/.exec(uri) ?? []
  const skill = name === undefined ? undefined : skills.get(decoded(name))
  if (!skill) throw new ResourceNotFoundError(uri)
  if (path === undefined || path === '' || path === 'SKILL.md')
    return { contents: [{ uri, mimeType: 'text/markdown', text: wholeText(skill) }] }
  const file = decoded(path)
  const folder = folderOf(skill)
  // Links that lead out of the skill's folder do not count.
  const bytes = folder && readBelow(folder, file, maxFileBytes)
  if (!bytes) throw new ResourceNotFoundError(uri)
  const mimeType = mimeTypes[extname(file)] ?? (isText(bytes) ? 'text/plain' : 'application/octet-stream')
  return {
    contents: [
      isText(bytes)
        ? { uri, mimeType, text: bytes.toString('utf8') }
        : { uri, mimeType, blob: bytes.toString('base64') },
    ],
  }
}

/** The skill's own file, byte for byte with its frontmatter; its instructions where it is in no file (U6). */
function wholeText({ source, details }: Tool): string {
  const bytes = source.file?.endsWith('.md')
    ? readBelow(dirname(source.file), basename(source.file), maxFileBytes)
    : undefined
  return bytes?.toString('utf8') ?? details?.content ?? ''
}

/** A part of a URI in plain text; what is not encoded properly stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function folderOf(skill: Tool): string | undefined {
  const { file } = skill.source
  return file?.endsWith(`${sep}SKILL.md`) ? dirname(file) : undefined
}

function isText(bytes: Buffer): boolean {
  return !bytes.includes(0)
}

const mimeTypes: Record<string, string> = {
  '.md': 'text/markdown',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.py': 'text/x-python',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.pdf': 'application/pdf',
}
