// The files of a skill as clients get them, byte for byte, by paths relative to its folder (U6).
import { isUtf8 } from 'node:buffer'
import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join, sep } from 'node:path'
import { readBelow } from '../../files/open-below.ts'
import { byCodeUnits } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'

export const manifest = 'SKILL.md'
const maxFileBytes = 10 * 1024 * 1024
/** What the extension asks hosts to accept; a folder with more is listed as far as this. */
const mostFiles = 512

/** The folder of a skill that is one; undefined for a skill in a single file, in code or in the store. */
export function folderOf({ source: { file } }: Tool): string | undefined {
  return file?.endsWith(`${sep}${manifest}`) ? dirname(file) : undefined
}

/** Every file of the skill, its SKILL.md first. Links, hidden names and installed packages are left out. */
export function skillFiles(skill: Tool): string[] {
  const folder = folderOf(skill)
  if (folder === undefined) return [manifest]
  const files: string[] = []
  const folders = ['']
  for (const at of folders) {
    for (const entry of entriesOf(join(folder, at))) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || path === manifest) continue
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile() && files.length < mostFiles - 1) files.push(path)
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

/** The bytes of a file of a skill; links that lead out of its folder do not count. */
export function skillFile(skill: Tool, path: string): Buffer | undefined {
  if (path === manifest) return manifestOf(skill)
  const folder = folderOf(skill)
  return folder === undefined ? undefined : readBelow(folder, path, maxFileBytes)
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
