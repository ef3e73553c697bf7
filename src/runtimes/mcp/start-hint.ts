// What to do about a server that failed: it follows from what the server itself said (U3d).
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Profile } from '../../sandbox/profile.ts'
import type { ServerTarget } from './server-target.ts'

const missingFile =
  /MODULE_NOT_FOUND|Cannot find module|ModuleNotFoundError|ENOENT|EACCES|No such file or directory|Permission denied/i
const missingNetwork =
  /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|getaddrinfo|name resolution|network is unreachable/i
const packageRunners = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx', 'npm', 'pnpm', 'yarn', 'bun', 'uv'])

export function startHint(target: ServerTarget, profile: Profile, said = ''): string {
  if (target.kind === 'http') return 'Check the address, and that the service runs.'
  const { name, spawn } = target
  const command = [spawn.file, ...spawn.args].join(' ')
  const grant = (capability: string) => `toolcrib.yaml: grants: { tools: { "${name}-*": [${capability}] } }`
  const isOffline = profile.network.mode === 'none'
  const program = basename(spawn.file)
  if (packageRunners.has(program) && isOffline)
    return `${program} fetches what it starts, and has no network here. Add to ${grant('net.http')}`
  if (missingNetwork.test(said))
    return isOffline
      ? `It ran without network access. If it needs some, add to ${grant('net.http')}`
      : `It could not reach an address. See what it may reach with \`toolcrib show mcp/${name}\`.`
  if (missingFile.test(said)) {
    const [path] = /(?<=['"\s])\/[^'"\s:,)]+/.exec(said) ?? []
    if (path && !existsSync(path)) return `There is no ${path}. Correct the entry, or make the file.`
    return `It could not read a file${path ? `, ${path}` : ''}. If it should, add to ${grant(`"fs.read:${path ?? '…'}"`)}; its own installation must be whole.`
  }
  return isOffline
    ? `It ran without network access. If it needs some, add to ${grant('net.http')}`
    : `Try its command by hand: ${command}`
}
