// `context.permissions`: what a tool may reach. Both spellings of the network key are read; rights this format
// never grants are refused when they are asked for.
import { isIPv4, isIPv6 } from 'node:net'
import { isPlainObject } from '../../tool/json.ts'
import {
  type BreadcrumbPermission,
  type NetworkPermission,
  noPermissions,
  type ToolCodePermissions,
} from '../../tool/plans/deno-plan.ts'
import { escapePointer } from '../../tool/pointer.ts'
import type { Findings } from './findings.ts'
import { neverGranted, permissionsShape } from './shapes.ts'

const at = '/context/permissions'
const known = Object.keys(permissionsShape.properties)

export function checkPermissions(given: unknown, findings: Findings): ToolCodePermissions {
  if (given === undefined) {
    findings.add('tc-field-missing', at, 'context.permissions is missing: nothing is granted.', {
      hint: 'State it, if only as "permissions": {}.',
    })
    return noPermissions
  }
  if (!isPlainObject(given)) {
    findings.add('tc-permission', at, 'context.permissions must be an object.')
    return noPermissions
  }
  for (const key of Object.keys(given)) {
    if (!known.includes(key))
      findings.add(
        'tc-unknown-field',
        `${at}/${escapePointer(key)}`,
        `permissions.${key} is not known and has no effect.`,
      )
  }
  for (const key of neverGranted) checkNeverGranted(key, given[key], findings)
  return {
    network: readNetwork(given, findings),
    breadcrumbs: readBreadcrumbs(given['breadcrumbs'], findings),
    tools: readList(given['tools'], `${at}/tools`, findings, (name) => isNamePattern(name) && name !== '*'),
    imports: readList(given['imports'], `${at}/imports`, findings, isImportPrefix),
  }
}

function checkNeverGranted(key: string, value: unknown, findings: Findings): void {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return
  findings.add(
    'tc-permission',
    `${at}/${key}`,
    `permissions.${key} cannot be granted to a tool of this format.`,
    {
      hint: `Leave it out, or write "${key}": false.`,
    },
  )
}

function readNetwork(given: Record<string, unknown>, findings: Findings): NetworkPermission {
  const spellings = ['network', 'net'].filter((key) => given[key] !== undefined)
  const values = spellings.map((key) => checkNetwork(given[key], `${at}/${key}`, findings))
  if (values.length === 2 && JSON.stringify(values[0]) !== JSON.stringify(values[1])) {
    findings.add(
      'tc-era-conflict',
      `${at}/net`,
      'permissions.network and permissions.net say different things.',
      {
        hint: 'Keep one of them; "network" is the spelling of the format.',
      },
    )
    return false
  }
  return values[0] ?? false
}

function checkNetwork(value: unknown, pointer: string, findings: Findings): NetworkPermission {
  if (typeof value === 'boolean') return value
  if (!Array.isArray(value)) {
    findings.add('tc-permission', pointer, 'network must be true, false or a list of hosts.')
    return false
  }
  const hosts = readList(value, pointer, findings, isHostEntry)
  return hosts.length === 0 ? false : hosts
}

const hostName =
  /^(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/

/** `host`, `host:port`, `*.domain`, IPv4, `[IPv6]`, `[IPv6]:port` or an IPv4 range. */
function isHostEntry(text: string): boolean {
  const port = /:(\d{1,5})$/.exec(text)
  const bracketed = /^\[([^\]]+)\](:\d{1,5})?$/.exec(text)
  if (port && (Number(port[1]) < 1 || Number(port[1]) > 65_535)) return false
  if (bracketed) return isIPv6(bracketed[1]!)
  const range = /^([^/]+)\/(\d|[12]\d|3[0-2])$/.exec(text)
  if (range) return isIPv4(range[1]!)
  return text.length <= 255 && hostName.test(port ? text.slice(0, port.index) : text)
}

function readBreadcrumbs(value: unknown, findings: Findings): BreadcrumbPermission | null {
  if (value === undefined || value === null || value === false) return null
  const pointer = `${at}/breadcrumbs`
  if (!isPlainObject(value)) {
    findings.add(
      'tc-permission',
      pointer,
      'permissions.breadcrumbs must be an object with read and write lists.',
    )
    return null
  }
  for (const key of Object.keys(value)) {
    if (key !== 'read' && key !== 'write')
      findings.add(
        'tc-unknown-field',
        `${pointer}/${escapePointer(key)}`,
        `permissions.breadcrumbs.${key} is not known and has no effect.`,
      )
  }
  return {
    read: readList(value['read'], `${pointer}/read`, findings, isNamePattern),
    write: readList(value['write'], `${pointer}/write`, findings, isNamePattern),
  }
}

/** A name, `prefix.*` or `*`; no other wildcard. */
function isNamePattern(text: string): boolean {
  return text === '*' || /^[^\s*]+(\.\*)?$/.test(text)
}

function isImportPrefix(text: string): boolean {
  return /^(jsr:|npm:)[^\s*]+$/.test(text) || (/^https?:\/\/[^\s*/]+\/?/.test(text) && URL.canParse(text))
}

function readList(
  value: unknown,
  pointer: string,
  findings: Findings,
  isGood: (text: string) => boolean,
): readonly string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    findings.add('tc-permission', pointer, `${fieldName(pointer)} must be a list.`)
    return []
  }
  const good: string[] = []
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string' && isGood(item)) {
      if (!good.includes(item)) good.push(item)
    } else {
      findings.add(
        'tc-permission',
        `${pointer}/${index}`,
        `${JSON.stringify(item)} is no valid entry of ${fieldName(pointer)}.`,
        {
          hint: hintFor(pointer),
        },
      )
    }
  }
  return good
}

function fieldName(pointer: string): string {
  return pointer.slice('/context/'.length).replaceAll('/', '.')
}

function hintFor(pointer: string): string {
  if (/\/net(work)?$/.test(pointer))
    return 'Write hosts without scheme and path: "api.example.com", "localhost:8080", "*.example.com", "10.0.0.0/8", "[::1]:443".'
  if (pointer.endsWith('/imports'))
    return 'Write prefixes such as "jsr:@std/", "npm:zod@3" or "https://esm.sh/".'
  if (pointer.endsWith('/tools')) return 'Write tool names, or "prefix.*".'
  return 'Write schema names, "prefix.*" or "*".'
}
