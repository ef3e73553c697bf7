// `toolcrib add <folder>`: skills, commands and agents of a folder, a plugin or a marketplace of plugins (D11b); the
// scripts of a folder without any. What lies outside the crib is copied into it, because that is what its tools can read.
import { cpSync, lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { openCrib } from '../../../crib/open-crib.ts'
import { isInside } from '../../../files/is-inside.ts'
import { readBelow } from '../../../files/open-below.ts'
import { placeBelow } from '../../../files/write-below.ts'
import { dashed } from '../../../formats/write-words.ts'
import { isPlainObject, type JsonObject } from '../../../tool/json.ts'
import type { Tool } from '../../../tool/tool.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { clients } from '../../clients/clients.ts'
import { serversIn } from '../../clients/edit-servers.ts'
import { type FoundServer, foundServer } from '../../clients/read-servers.ts'
import { UsageError } from '../command.ts'
import type { Session } from '../session.ts'
import { columns, plain } from '../style.ts'
import { addScripts } from './add-scripts.ts'
import { addServers, type ServerOptions } from './add-servers.ts'
import { type Added, joinAdded, notWritten } from './added.ts'

const maxShown = 30
const maxJsonBytes = 1_000_000
/** What is no part of a folder of skills. */
const leftBehind = new Set(['.git', 'node_modules', '.venv', '.toolcrib'])

export async function addFolder(session: Session, given: string, options: ServerOptions): Promise<Added> {
  const folder = realpathSync(given)
  const root = realpathSync(session.root)
  const isOwn = isInside(root, folder)
  const scripts = isOwn ? await addScripts(session, folder, options) : undefined
  if (scripts) return scripts
  if (isOwn)
    throw new UsageError(
      `${folder} ${folder === root ? 'is the crib itself' : 'holds the crib'}: its skills need not be added.`,
      'See them with `toolcrib list --all`.',
    )
  const isThere = isInside(folder, root)
  const name = options.id ?? nameOf(folder)
  const path = isThere ? relative(root, folder) : `skills/${dashed(name) || 'added'}`
  const place = placeBelow(session.root, path)
  const target = join(place.root, place.within)
  if (!isThere && lstatSync(target, { throwIfNoEntry: false }))
    throw new ToolError('CONFLICT', `${path} is there already.`, {
      hint: 'Remove it first, or choose another name with --id.',
    })
  const { skills, links } = await skillsOf(folder)
  const servers = serversOf(folder, path)
  if (skills.length + servers.length === 0) {
    const added = await addScripts(session, folder, options)
    if (added) return added
    throw new UsageError(
      `${folder} holds no script, skill, command or agent, and no plugin.`,
      'A skill is a folder with a SKILL.md. A file that is no script by its name or first line is added by its own name: toolcrib add ./program',
    )
  }
  show(session, name, skills)
  const notes =
    links > 0
      ? [
          `${links} link${links > 1 ? 's were' : ' was'} left out: a crib takes in files, not where links lead.`,
        ]
      : []
  const tools = skills.filter(({ kind }) => kind === 'callable').map(({ id }) => id)
  if (options.dryRun || !(await isAgreed(session, isThere, path)))
    return { files: [], tools, notes: [...notes, notWritten(options)], texts: {} }
  const crib = await session.open({ asksAboutFolder: false })
  if (!isThere) {
    copyInto(folder, target)
    crib.folder.decide([], true) // The user wrote this, so the folder is theirs (D7).
    await crib.reload()
  }
  const added: Added = { files: isThere ? [] : [target], tools, notes: [...notes, count(skills)] }
  return servers.length === 0 ? added : joinAdded([added, await addServers(session, servers, options)])
}

/** What a plugin or a marketplace calls itself; else the folder's own name. */
function nameOf(folder: string): string {
  for (const file of ['plugin.json', 'marketplace.json']) {
    const { name } = jsonIn(textIn(folder, `.claude-plugin/${file}`))
    if (typeof name === 'string' && dashed(name) !== '') return name
  }
  return basename(folder)
}

/** Only of a file that is really in the folder: a link may lead to somebody's secrets. */
function textIn(folder: string, path: string): string {
  return readBelow(folder, path, maxJsonBytes)?.toString('utf8') ?? ''
}

function jsonIn(text: string): JsonObject {
  try {
    const content: unknown = JSON.parse(text)
    return isPlainObject(content) ? (content as JsonObject) : {}
  } catch {
    return {}
  }
}

/** Reads a copy as a crib of its own: nothing is written into a folder that is only looked at. */
async function skillsOf(folder: string): Promise<{ skills: Tool[]; links: number }> {
  const copy = mkdtempSync(join(tmpdir(), 'toolcrib-add-'))
  try {
    const links = copyInto(folder, join(copy, 'skills/added'))
    const crib = await openCrib({ root: copy, cache: false, trustFolder: false })
    const taken = (await crib.formats()).filter(({ comesInFolders }) => comesInFolders)
    const skills = crib
      .list({ all: true })
      .filter(({ tier, format }) => tier === 'project' && taken.some(({ name }) => name === format))
    await crib.close()
    return { skills, links }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** How many links were left out: one may lead anywhere. */
function copyInto(folder: string, target: string): number {
  let links = 0
  cpSync(folder, target, {
    recursive: true,
    filter: (source) => {
      if (leftBehind.has(basename(source))) return false
      const stat = lstatSync(source)
      if (stat.isSymbolicLink()) links++
      return stat.isDirectory() || stat.isFile()
    },
  })
  return links
}

/** The servers of a plugin; those of a marketplace are taken in with their plugin. */
function serversOf(folder: string, path: string): FoundServer[] {
  const file = join(folder, '.mcp.json')
  const written = textIn(folder, '.mcp.json')
  const text = written.replaceAll('${CLAUDE_PLUGIN_ROOT}', `\${workspaceFolder}/${path}`)
  const whole = jsonIn(written)
  const entries =
    'mcpServers' in whole || text === '' ? text : JSON.stringify({ mcpServers: JSON.parse(text) })
  return Object.entries(serversIn(entries, clients['claude-code']!, file)).flatMap(([server, entry]) =>
    foundServer(server, entry, ''),
  )
}

function show(session: Session, name: string, skills: readonly Tool[]): void {
  session.note(`${plain(name)}: ${count(skills)}`)
  const rows = skills
    .slice(0, maxShown)
    .map((tool) => [`  ${plain(tool.id)}`, wordOf(tool), plain(tool.description.split('\n', 1)[0]!)])
  for (const line of columns(rows)) session.note(line)
  if (skills.length > maxShown) session.note(`  and ${skills.length - maxShown} more`)
}

/** What people call it. */
function wordOf({ source }: Tool): string {
  const [, folder] = /\/(command|agent)s\/[^/]+\.md$/.exec(source.file ?? '') ?? []
  return folder ?? 'skill'
}

function count(skills: readonly Tool[]): string {
  const parts = ['skill', 'command', 'agent'].flatMap((word) => {
    const { length } = skills.filter((skill) => wordOf(skill) === word)
    return length === 0 ? [] : [`${length} ${word}${length === 1 ? '' : 's'}`]
  })
  return parts.length === 0 ? 'no skills' : parts.join(', ')
}

async function isAgreed(session: Session, isThere: boolean, path: string): Promise<boolean> {
  if (session.yes || isThere) return true
  if (!session.mayAsk) return false
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: `Copy this to ${path}?` })) === true
}
