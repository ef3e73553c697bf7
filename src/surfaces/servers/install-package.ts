// Installs the package of a server once, with network and without install scripts, into the state folder (D9).
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../config/make-folder.ts'
import type { Crib } from '../../crib/crib.ts'
import type { InstalledPackage } from '../../formats/mcp/installed-package.ts'
import type { PackageRunner } from '../../formats/mcp/package-runner.ts'
import { installedFile, packageFolder } from '../../formats/mcp/server-folder.ts'
import { type Ended, runToEnd } from '../../workers/run-to-end.ts'
import { installFromNpm } from './install-from-npm.ts'
import { installFromPypi } from './install-from-pypi.ts'

const installMs = 240_000

export interface InstallOptions {
  readonly server: string
  readonly runner: PackageRunner
  /** The person agreed to run what packages want to run when they are installed. */
  readonly allowsScripts: boolean
  readonly signal: AbortSignal
}

export interface Installed {
  readonly installed: InstalledPackage
  readonly notes: readonly string[]
}

/** Where an installer works: an empty folder, which it may be moved from, and a way to start programs. */
export interface InstallPlace {
  readonly folder: string
  run(file: string, args: readonly string[], env?: { readonly [name: string]: string }): Promise<Ended>
}

/** Puts a package into the folder. Throws RUNTIME_MISSING when it cannot be had. */
export type Installer = (
  place: InstallPlace,
  options: Pick<InstallOptions, 'runner' | 'allowsScripts'>,
) => Promise<Installed>

const installers: { readonly [registry in PackageRunner['registry']]: Installer } = {
  npm: installFromNpm,
  pypi: installFromPypi,
}

/** A package that was there stays until the new one is whole. */
export async function installPackage(crib: Crib, options: InstallOptions): Promise<Installed> {
  const { server, runner, signal } = options
  const folder = packageFolder(crib.spaces.state, server)
  const fresh = `${folder}.${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  makeFolder(fresh, 0o700)
  // Not below the crib: an installer would take settings and packages of the project for its own.
  const run: InstallPlace['run'] = (file, args, env) =>
    runToEnd(
      crib.supervisor,
      { file, args, cwd: '/', env: { ...(process.env as { [name: string]: string }), ...env } },
      { maxBytes: 1_000_000, timeoutMs: installMs, signal },
    )
  try {
    const found = await installers[runner.registry]({ folder: fresh, run }, options)
    writeFileSync(join(fresh, installedFile), `${JSON.stringify(found.installed, null, 2)}\n`)
    rmSync(folder, { recursive: true, force: true })
    makeFolder(dirname(folder), 0o700)
    renameSync(fresh, folder)
    return found
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
