// The skills extension (SEP-2640): `skills/list` and `skills/get`, entries with the digests of the bytes that
// `resources/read` gives. Every markdown skill of the client's catalog is there, whatever its metadata looks like (U6).
import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import type { Skill } from '@modelcontextprotocol/server/ext/skills'
import { byCodeUnits, sha256 } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { anyParams } from './any-params.ts'
import type { ClientCatalog } from './client-catalog.ts'
import { plainManifest, plainName, plainScheme } from './plain-skill.ts'
import { skillAt } from './read-skill.ts'
import { manifest, skillFile, skillFiles, skillUri } from './skill-files.ts'

export const skillsExtension = 'io.modelcontextprotocol/skills'

const pageSize = 50

export function serveSkills(server: Server, clientCatalog: ClientCatalog): void {
  const cache = () =>
    (server.getNegotiatedProtocolVersion() ?? '') >= '2026' ? { ttlMs: 0, cacheScope: 'private' } : {}
  server.setRequestHandler('skills/list', { params: anyParams }, async ({ cursor }) => {
    const start = typeof cursor === 'string' ? Number(cursor) : 0
    if (!Number.isSafeInteger(start) || start < 0)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no page ${String(cursor)}.`)
    const all = [...clientCatalog.skills.values()]
    const entries = await Promise.all(all.slice(start, start + pageSize).map(entryOf))
    const next = start + pageSize
    return {
      skills: entries.flatMap((entry) => entry ?? []),
      ...(next < all.length && { nextCursor: String(next) }),
      ...cache(),
    }
  })
  server.setRequestHandler('skills/get', { params: anyParams }, async ({ uri }) => {
    const found = skillAt(clientCatalog.skills, String(uri))
    const skill = found && (await entryOf(found.skill))
    if (skill?.uri !== uri)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${String(uri)}.`)
    return { skill, ...cache() }
  })
}

/** The entry of a skill, with its own SKILL.md where the extension takes it. */
async function entryOf(skill: Tool): Promise<Skill | undefined> {
  const { skillEntry } = await import('@modelcontextprotocol/server/ext/skills')
  const own = skillFile(skill, manifest)!
  const as = (name: string, scheme: string, bytes: Buffer) =>
    skillEntry(name, { [manifest]: bytes }, { baseUri: `${scheme}://` }).then(
      (entry): Skill => ({ ...entry, resources: resourcesOf(skill, name, scheme, bytes) }),
    )
  return as(skill.id, 'skill', own).catch(() =>
    as(plainName(skill), plainScheme, Buffer.from(plainManifest(skill))).catch(() => undefined),
  )
}

function resourcesOf(
  skill: Tool,
  name: string,
  scheme: string,
  ownManifest: Buffer,
): Extract<Skill['resources'], readonly unknown[]> {
  return skillFiles(skill)
    .flatMap((path) => {
      const bytes = path === manifest ? ownManifest : skillFile(skill, path)
      if (!bytes) return []
      return [{ uri: skillUri(name, path, scheme), digest: `sha256:${sha256(bytes)}`, size: bytes.length }]
    })
    .sort((a, b) => byCodeUnits(a.uri, b.uri))
}
