// The command line of a worker: everything is denied by name, and only what the rights say is opened.
import type { EffectiveRights } from './effective-rights.ts'
import { networkFlags } from './network-flags.ts'

export function denoFlags(rights: EffectiveRights, heapMb: number): string[] {
  return [
    'run',
    '--quiet',
    '--no-prompt',
    '--no-config',
    '--no-lock',
    ...importFlags(rights.imports),
    '--deny-read',
    '--deny-write',
    '--deny-env',
    '--deny-run',
    '--deny-ffi',
    '--deny-sys',
    ...networkFlags(rights.network),
    `--v8-flags=--max-heap-size=${Math.max(16, Math.ceil(heapMb))}`,
  ]
}

/** Remote code only as far as the declared prefixes need it: by host for URLs, all of npm for npm. */
function importFlags(imports: readonly string[]): string[] {
  const hosts = new Set<string>()
  for (const prefix of imports) {
    if (prefix.startsWith('jsr:')) hosts.add('jsr.io:443')
    else if (!prefix.startsWith('npm:')) hosts.add(hostWithPort(prefix))
  }
  const usesNpm = imports.some((prefix) => prefix.startsWith('npm:'))
  return [
    ...(hosts.size === 0 ? ['--no-remote', '--deny-import'] : [`--allow-import=${[...hosts].join(',')}`]),
    ...(usesNpm ? [] : ['--no-npm']),
  ]
}

function hostWithPort(prefix: string): string {
  const url = new URL(prefix)
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}
