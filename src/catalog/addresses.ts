// The addresses that resources of foreign servers have here: their own, and with the server's name in front where two
// servers have the same one (U1).
import type { Tool } from '../tool/tool.ts'

/** `tools` in precedence order: the first of two keeps the address. */
export function addressesOf(tools: readonly Tool[]): Map<string, Tool> {
  const found = new Map<string, Tool>()
  for (const tool of tools) {
    const uri = tool.kind === 'resource' ? tool.details?.uri : undefined
    if (uri === undefined) continue
    const address = found.has(uri) ? prefixed(tool, uri) : uri
    if (!found.has(address)) found.set(address, tool)
  }
  return found
}

/** `github+repo://a`: still an address by its form. */
export function prefixed({ details }: Tool, uri: string): string {
  const server = typeof details?.server === 'string' ? details.server : ''
  const scheme = server.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')
  return `${/^[a-z]/.test(scheme) ? scheme : `mcp-${scheme}`}+${uri}`
}

/** What reads like this names a tool or a file of the crib, whatever address a server gives a resource. */
export function isOwnScheme(ref: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(ref) || /^(file|mcp|inline):/i.test(ref)
}
