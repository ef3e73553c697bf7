// What a definition says that its tool needs, and whether that covers something its code can touch.
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { isInside } from '../files/is-inside.ts'
import { hostsOf } from '../formats/hosts-of.ts'
import { coversCapability, parseGrant } from '../tool/capability.ts'
import { planOf } from '../tool/plans/runtime-plans.ts'
import type { Tool } from '../tool/tool.ts'
import { isListed } from './network-access.ts'
import { scopeFault, scopePath } from './scope-path.ts'

/** As grants would name it; null: the definition does not speak of it. */
export function declaredCapabilities(tool: Tool): string[] | null {
  const permissions = planOf(tool, 'deno')?.permissions
  const secrets = (tool.secrets ?? []).map((name) => `secrets.read:${name}`)
  if (!permissions) return tool.requires === null ? null : [...tool.requires, ...loginNeeds(tool), ...secrets]
  const { network, breadcrumbs, tools } = permissions
  const hosts =
    network === true ? ['net.http'] : network === false ? [] : network.map((host) => `net.http:${host}`)
  return [
    ...hosts,
    ...(tools.length > 0 ? ['rye.execute'] : []),
    ...(breadcrumbs?.read.length ? ['breadcrumbs.read'] : []),
    ...(breadcrumbs?.write.length ? ['breadcrumbs.write'] : []),
    ...secrets,
  ]
}

/** The document of an API says where its tokens come from; only whoever logs in as a client needs that host. */
function loginNeeds(tool: Tool): string[] {
  const credentials = planOf(tool, 'openapi')?.credentials ?? []
  return credentials.flatMap(({ tokenUrl }) => hostsOf(tokenUrl ?? '').map((host) => `net.http:${host}`))
}

/** Whether a grant, or a need, covers what was found. `project` is the crib's root. */
export function coversFinding(
  grant: string,
  finding: { readonly capability: string; readonly detail?: string },
  project: string,
): boolean {
  const { capability, scope } = parseGrant(grant)
  // What may be written may be read.
  const isReadBack = capability === 'fs.write' && finding.capability === 'fs.read'
  if (!isReadBack && !coversCapability(capability, finding.capability)) return false
  if (finding.capability.startsWith('fs.')) return coversPath(capability, scope, finding.detail, project)
  if (scope === undefined || finding.detail === undefined) return true
  if (!finding.capability.startsWith('net.')) return scope === finding.detail
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(finding.detail) ?? []
  return scope === finding.detail || isListed({ mode: 'hosts', hosts: [scope] }, host, Number(port ?? 443))
}

/** An unscoped grant opens the crib, not the machine. */
function coversPath(
  capability: string,
  scope: string | undefined,
  detail: string | undefined,
  project: string,
): boolean {
  if (detail === undefined) return true
  const path = placeOf(detail, project)
  if (path === null) return true
  if (scope === undefined) return isInside(path, project)
  if (/^[/~]/.test(scope)) return isInside(path, placeOf(scope.replace(/\/?\*+$/, ''), project) ?? scope)
  return scopeFault(scope) === undefined && isInside(path, scopePath(capability, scope, project))
}

/** Places that every process has: its own folder, the temporary one, the system's programs and libraries to read. */
const everywhere =
  /^(?:\{tool\}(?!.*\/\.\.(?:\/|$))|\/(?:tmp|var\/tmp|dev|usr|bin|lib\w*|opt)(?:\/|$)|\/etc\/(?!shadow|gshadow|sudoers|ssh\/|ssl\/private|cron)|\/proc\/(?:self|cpuinfo|meminfo|version|loadavg|uptime|stat))/

/** The path up to what is not known of it; null where no grant is needed. */
function placeOf(detail: string, project: string): string | null {
  if (everywhere.test(detail)) return null
  const known = detail.replace(/\*.*$/, '')
  if (known.startsWith('~')) return join(homedir(), known.slice(1))
  return isAbsolute(known) ? known : resolve(project, known)
}
