// The page docs/capabilities.md with its table made from the list of capabilities.
import { type CapabilityFacts, grantable, observed } from '../../src/tool/capabilities.ts'
import { readPage } from './pages.ts'
import { table } from './table.ts'

/** What holds a tool to a capability on Linux; the rest is checked by the crib itself, on every system. */
const walls: { readonly [family: string]: string } = {
  'fs.read': 'what is not granted is not mounted',
  'fs.write': 'all else is mounted read-only',
  'net.http': 'no network but the proxy, which asks the grant',
  'net.call': 'no network but the proxy, which asks the grant',
  'shell.execute':
    'programs of the system are not mounted without it; what starts a program by itself (a command, a server, a script) has them anyway',
}
const scopes = { host: 'a host, with or without port', path: 'a path or a folder with `/**`', name: 'a name' }

export function capabilitiesPage(): string {
  const rows = (facts: { readonly [name: string]: CapabilityFacts }, otherwise: string) =>
    Object.entries(facts).map(([name, { opens, scope }]) => [
      `\`${name}\``,
      opens,
      scope ? scopes[scope] : '',
      walls[name] ?? otherwise,
    ])
  const made = table(
    ['capability', 'who has it can', 'after a colon', 'held on Linux by'],
    [
      ...rows(grantable, 'the crib, on every system'),
      ...rows(observed, 'no grant speaks of it; it is told by `check`, `show` and drift'),
    ],
  )
  return readPage('docs/capabilities.md').replace(
    /(<!-- made from [^\n]* -->\n)[\s\S]*?(<!-- end -->)/,
    (_, head: string, end: string) => `${head}\n${made}\n\n${end}`,
  )
}
