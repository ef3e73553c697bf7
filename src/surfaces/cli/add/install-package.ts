// Installs the package of a server once, with network and without install scripts, into the state folder (D9).
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findOnPath } from '../../../config/find-on-path.ts'
import type { Crib } from '../../../crib/crib.ts'
import { isInside } from '../../../files/is-inside.ts'
import type { InstalledPackage } from '../../../formats/mcp/installed-package.ts'
import type { PackageRunner } from '../../../formats/mcp/package-runner.ts'
import { installedFile, packageFolder } from '../../../formats/mcp/server-folder.ts'
import { isPlainObject } from '../../../tool/json.ts'
import { ToolError } from '../../../tool/tool-error.ts'
import { runToEnd } from '../../../workers/run-to-end.ts'

const installMs = 240_000

export interface InstallOptions {
  readonly server: string
  readonly runner: PackageRunner
  /** The person agreed to run what packages want to run when they are installed. */
  readonly allowsScripts: boolean
  readonly signal: AbortSignal
}

/** Throws RUNTIME_MISSING when it cannot be had; a package that was there stays until the new one is whole. */
export async function installPackage(
  crib: Crib,
  { server, runner, allowsScripts, signal }: InstallOptions,
): Promise<{ readonly installed: InstalledPackage; readonly notes: readonly string[] }> {
  const npm = findOnPath('npm')
  if (!npm)
    throw new ToolError('RUNTIME_MISSING', 'npm is not on this machine, so no package can be installed.', {
      hint: 'Install Node.js with npm.',
    })
  const folder = packageFolder(crib.spaces.state, server)
  const fresh = `${folder}.${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(join(fresh, 'package.json'), '{ "private": true }\n')
    const args = [
      'install',
      '--no-audit',
      '--no-fund',
      '--save-exact',
      '--install-links',
      '--loglevel=error',
      runner.spec,
    ]
    const ended = await runToEnd(
      crib.supervisor,
      {
        file: npm,
        args: allowsScripts ? args : [...args, '--ignore-scripts'],
        cwd: fresh,
        env: process.env as { [name: string]: string },
      },
      { maxBytes: 1_000_000, timeoutMs: installMs, signal },
    )
    if (ended.exitCode !== 0) throw failed(runner.spec, ended.stderr.text)
    const found = describe(fresh, runner)
    writeFileSync(join(fresh, installedFile), `${JSON.stringify(found.installed, null, 2)}\n`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
    renameSync(fresh, folder)
    return { installed: found.installed, notes: allowsScripts ? [] : found.notes }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function failed(spec: string, said: string): ToolError {
  const isUnknown = /E404|ETARGET|No matching version/.test(said)
  const why = said
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
    .find((line) => line !== '' && !/^(code|A complete log)/.test(line))
  return new ToolError(
    'RUNTIME_MISSING',
    isUnknown
      ? `There is no package ${spec} in the registry.`
      : `${spec} could not be installed: ${why ?? 'npm failed'}.`,
    { hint: isUnknown ? 'Check its name and version.' : 'Check that the registry can be reached: npm ping' },
  )
}

/** What npm put there: the package that was asked for is the one our own package.json names. */
function describe(folder: string, runner: PackageRunner): { installed: InstalledPackage; notes: string[] } {
  const read = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'))
  const [name] = Object.keys(read('package.json').dependencies ?? {})
  if (name === undefined) throw failed(runner.spec, 'npm named no package')
  const manifest = read(`node_modules/${name}/package.json`)
  const packages: { [path: string]: { integrity?: string; hasInstallScript?: boolean } } =
    read('package-lock.json').packages ?? {}
  const bin = binOf(manifest, name, runner)
  const path = join('node_modules', name, bin)
  if (!isInside(join(folder, path), join(folder, 'node_modules', name)))
    throw new ToolError('TOOL_INVALID', `${name} names a program outside itself: ${bin}.`)
  const scripted = Object.entries(packages).filter(([, each]) => each.hasInstallScript)
  const wanted = Number(/>=?\s*v?(\d+)/.exec(String(manifest.engines?.node ?? ''))?.[1] ?? 0)
  const running = Number(process.versions.node.split('.')[0])
  return {
    installed: {
      spec: runner.spec,
      name,
      version: String(manifest.version),
      integrity: packages[`node_modules/${name}`]?.integrity ?? '',
      bin: path,
    },
    notes: [
      ...(scripted.length > 0
        ? [
            `${scripted.map(([at]) => at.replace(/^.*node_modules\//, '')).join(', ')} wanted to run a script when installed; it was not run. If the server needs it: --allow-scripts`,
          ]
        : []),
      ...(wanted > running
        ? [`${name} wants Node ${wanted}; this is Node ${running}, so it may not start.`]
        : []),
    ],
  }
}

function binOf(
  manifest: { bin?: unknown; main?: unknown },
  name: string,
  { bin: asked }: PackageRunner,
): string {
  const { bin } = manifest
  if (typeof bin === 'string') return bin
  const short = name.slice(name.lastIndexOf('/') + 1)
  const programs = isPlainObject(bin) ? (bin as { [name: string]: string }) : {}
  const found = programs[asked ?? short] ?? Object.values(programs)[0]
  if (typeof found === 'string') return found
  throw new ToolError('TOOL_INVALID', `The package ${name} has no program to start.`, {
    hint: 'It may be a library; look into its README for the server.',
  })
}
