// The command line of a worker: everything is denied by name, and only what the rights say is opened.
import type { EffectiveRights } from './effective-rights.ts'
import { networkFlags } from './network-flags.ts'

export function denoFlags(rights: EffectiveRights, heapMb: number, proxy?: string): string[] {
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
    ...networkFlags(rights.network, proxy),
    `--v8-flags=--max-heap-size=${Math.max(16, Math.ceil(heapMb))}`,
  ]
}

/** Remote code only as far as the declared prefixes need it: by host for URLs, all of npm for npm. */
function importFlags(imports: readonly string[]): string[] {
  const hosts = importHosts(imports)
  const usesNpm = imports.some((prefix) => prefix.startsWith('npm:'))
  return [
    ...(hosts.length === 0 ? ['--no-remote', '--deny-import'] : [`--allow-import=${hosts.join(',')}`]),
    ...(usesNpm ? [] : ['--no-npm']),
  ]
}

/** `host:port` of every place that declared prefixes fetch modules from, npm's registry excepted. */
export function importHosts(imports: readonly string[]): string[] {
  const hosts = imports.flatMap((prefix) => {
    if (prefix.startsWith('npm:')) return []
    const url = new URL(prefix.startsWith('jsr:') ? 'https://jsr.io/' : prefix)
    return [`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`]
  })
  return [...new Set(hosts)]
}
