// Where Deno is: the configured path, the binary of the npm package (its install script need not have run), PATH.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ToolError } from '../tool/tool-error.ts'
import { findOnPath } from './find-on-path.ts'

const require = createRequire(import.meta.url)

export interface DenoLookup {
  readonly configured: string | null
  readonly path?: string | undefined
  /** Finds a package's folder; null when it is not installed. */
  packageDir?(name: string): string | null
}

/** Absolute path of the binary; throws RUNTIME_MISSING with the way to get it. */
export function findDeno(lookup: DenoLookup): string {
  if (lookup.configured !== null) {
    const found = findOnPath(lookup.configured, lookup.path)
    if (found) return found
    throw missing(`deno.path is "${lookup.configured}", which is no program`)
  }
  const found = fromPackage(lookup.packageDir ?? installedPackage) ?? findOnPath('deno', lookup.path)
  if (found) return found
  throw missing('Deno was not found')
}

function fromPackage(packageDir: (name: string) => string | null): string | null {
  const binary = process.platform === 'win32' ? 'deno.exe' : 'deno'
  const suffix = process.platform === 'linux' ? '-glibc' : ''
  for (const name of [`@deno/${process.platform}-${process.arch}${suffix}`, 'deno']) {
    const dir = packageDir(name)
    if (dir && existsSync(join(dir, binary))) return join(dir, binary)
  }
  return null
}

function installedPackage(name: string): string | null {
  try {
    return dirname(require.resolve(`${name}/package.json`))
  } catch {
    return null
  }
}

function missing(what: string): ToolError {
  return new ToolError('RUNTIME_MISSING', `${what}, so tools of the format tool-code cannot run.`, {
    hint: 'Install it with `npm install deno`, or set deno.path in toolcrib.yaml.',
  })
}
