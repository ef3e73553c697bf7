// The files of a skill as clients get them, byte for byte, by paths relative to its folder (U6).
import { isUtf8 } from 'node:buffer'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { readBelow } from '../../files/open-below.ts'
import { byCodeUnits } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'

export const manifest = 'SKILL.md'
const maxFileBytes = 10 * 1024 * 1024
/** What the extension asks hosts to accept; a folder with more is listed as far as this. */
const maxFiles = 512

/** The folder of a skill that is one; undefined for a skill in a single file, in code or in the store. */
export function folderOf({ source: { file } }: Tool): string | undefined {
  return file?.endsWith(`${sep}${manifest}`) ? dirname(file) : undefined
}

/** What a crib itself keeps in its folder, where that is a skill's too. */
const cribsOwn = new Set(['toolcrib.yaml', 'toolcrib.lock', 'crumbs'])

/** Hidden names, installed packages, what belongs to the crib or to another skill further in are no skill's files. */
function isLeftOut(folder: string, path: string): boolean {
  const steps = path.split('/')
  if (steps.some((name) => name.startsWith('.') || name === 'node_modules')) return true
  if (cribsOwn.has(steps[0]!) && existsSync(join(folder, '.toolcrib'))) return true
  return steps.some((_, end) => end > 0 && existsSync(join(folder, ...steps.slice(0, end), manifest)))
}

/** Every file of the skill, its SKILL.md first; links are left out too. */
export function skillFiles(skill: Tool): string[] {
  const folder = folderOf(skill)
  if (folder === undefined) return [manifest]
  const files: string[] = []
  const folders = ['']
  for (const at of folders) {
    for (const entry of entriesOf(join(folder, at))) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (path === manifest || isLeftOut(folder, path)) continue
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile() && files.length < maxFiles - 1) files.push(path)
    }
  }
  return [manifest, ...files.sort(byCodeUnits)]
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The bytes of a file of a skill, of one that is listed or is where a link in its folder leads. */
export function skillFile(skill: Tool, path: string): Buffer | undefined {
  if (path === manifest) return manifestOf(skill)
  const folder = folderOf(skill)
  if (folder === undefined) return undefined
  return readBelow(folder, path, maxFileBytes, (within) => !isLeftOut(folder, within))
}

/** The skill's own file with its frontmatter; its instructions where it is in no file. */
function manifestOf({ source, details }: Tool): Buffer {
  const bytes = source.file?.endsWith('.md')
    ? readBelow(dirname(source.file), basename(source.file), maxFileBytes)
    : undefined
  return bytes ?? Buffer.from(details?.content ?? '')
}

/** A file as the content of a resource: as text only where that is the same bytes. */
export function contentOf(
  uri: string,
  bytes: Buffer,
): { uri: string; mimeType: string } & ({ text: string } | { blob: string }) {
  const isText = isUtf8(bytes) && !bytes.includes(0)
  const mimeType = mimeTypes[extname(uri)] ?? (isText ? 'text/plain' : 'application/octet-stream')
  return isText
    ? { uri, mimeType, text: bytes.toString('utf8') }
    : { uri, mimeType, blob: bytes.toString('base64') }
}

/** The address of a file of a skill. */
export function skillUri(name: string, path: string, scheme = 'skill'): string {
  return `${scheme}://${encodeURIComponent(name)}/${path.split('/').map(encodeURIComponent).join('/')}`
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
