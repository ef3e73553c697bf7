// Every capability there is: those that a grant can give, and what code can do that no grant speaks of. `check`,
// `show`, the lock, `learn` and the docs use these names and no others.
import type { Grant } from './capability.ts'

export interface CapabilityFacts {
  /** What has it can do this. */
  readonly opens: string
  /** What may stand after the colon of a grant; absent: it takes no scope. */
  readonly scope?: 'host' | 'path' | 'name'
}

export const grantable = {
  'fs.read': { opens: 'read files of the crib', scope: 'path' },
  'fs.write': { opens: 'write files of the crib', scope: 'path' },
  'net.http': { opens: 'reach public hosts through the proxy', scope: 'host' },
  'net.call': { opens: 'open connections of any protocol to public hosts', scope: 'host' },
  'shell.execute': { opens: 'start other programs' },
  programs: { opens: 'start a program that lies outside of the crib, by its name', scope: 'name' },
  'rye.execute': { opens: 'call other tools', scope: 'name' },
  'crumbs.read': { opens: 'read breadcrumbs' },
  'crumbs.write': { opens: 'write breadcrumbs' },
  'breadcrumbs.read': { opens: 'read breadcrumbs' },
  'breadcrumbs.write': { opens: 'write breadcrumbs' },
  'secrets.read': { opens: 'read secrets over HTTP' },
  'secrets.write': { opens: 'store secrets over HTTP' },
} as const satisfies { readonly [name: string]: CapabilityFacts }

/** What reading code tells beside that. No grant gives these. */
export const observed = {
  'env.read': { opens: 'read variables of its environment', scope: 'name' },
  'code.dynamic': { opens: 'run code that is made while it runs' },
  'host.persist': { opens: 'stay after the call: start-up files, cron, git hooks', scope: 'path' },
  'code.unknown': { opens: 'whatever it likes: reading does not tell' },
} as const satisfies { readonly [name: string]: CapabilityFacts }

export type GrantableCapability = keyof typeof grantable
export type ObservedCapability = keyof typeof observed
export type CapabilityName = GrantableCapability | ObservedCapability

export const grantableNames = Object.keys(grantable) as readonly GrantableCapability[]
export const capabilityNames = [...grantableNames, ...Object.keys(observed)] as readonly CapabilityName[]

/** True for what no grant gives: a definition may say it, and nothing has to be granted for it. */
export function isObserved(capability: string): boolean {
  return Object.hasOwn(observed, capability)
}

/** `{ capability: 'net.http', scope: 'example.com' }` → `net.http:example.com` */
export function grantText({ capability, scope }: Grant): string {
  return scope === undefined ? capability : `${capability}:${scope}`
}
