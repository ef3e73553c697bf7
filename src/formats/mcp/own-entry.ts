// Recognises an entry that starts Toolcrib itself, by what it starts: a client's file names us among its servers, and
// a crib that asked itself for tools would never end (D8).
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { realPathOf } from '../../files/real-path.ts'
import type { JsonObject } from '../../tool/json.ts'

const runners = /^(npx|pnpx|bunx|pnpm|npm|yarn|bun|node|nodejs|deno|env|cmd|cmd\.exe)$/
const program = /^toolcrib(@[\w.^~-]+)?$/

export function startsToolcrib(entry: JsonObject): boolean {
  const { command, cmd = command, args } = entry
  const path = entry['path'] // older entries of Zed
  const words = [typeof cmd === 'string' ? cmd : path, ...(Array.isArray(args) ? args : [])].filter(
    (word): word is string => typeof word === 'string',
  )
  const [first, ...rest] = words
  if (first === undefined) return false
  if (isOurs(first)) return true
  return runners.test(basename(first)) && rest.some(isOurs) && rest.some((word) => /^(mcp|serve)$/.test(word))
}

/** The name of our package or command, or the file of this very program. */
function isOurs(word: string): boolean {
  if (program.test(basename(word).replace(/\.(cmd|ps1|exe)$/, ''))) return true
  if (!/[/\\]/.test(word)) return false
  if (/[/\\]toolcrib[/\\]dist[/\\]cli\.m?js$/.test(word)) return true
  const real = realPathOf(word)
  return real !== undefined && isPackageFile(real)
}

/** `dist/cli.js` of a package that is called as ours, wherever it was installed. */
function isPackageFile(file: string): boolean {
  if (!/[/\\]dist[/\\]cli\.m?js$/.test(file)) return false
  try {
    return JSON.parse(readFileSync(join(dirname(file), '../package.json'), 'utf8')).name === 'toolcrib'
  } catch {
    return false
  }
}
