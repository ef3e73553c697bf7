// Installs a package of npm into a folder of its own, with every package it needs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../config/find-on-path.ts'
import { isInside } from '../../files/is-inside.ts'
import type { InstalledPackage } from '../../formats/mcp/installed-package.ts'
import type { PackageRunner } from '../../formats/mcp/package-runner.ts'
import { isPlainObject } from '../../tool/json.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Installer } from './install-package.ts'
import { isInNodeRange } from './node-range.ts'

export const installFromNpm: Installer = async ({ folder, run }, { runner, allowsScripts }) => {
  const npm = findOnPath('npm')
  if (!npm)
    throw new ToolError('RUNTIME_MISSING', 'npm is not on this machine, so no package can be installed.', {
      hint: 'Install Node.js with npm.',
    })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = [
    'install',
    '--prefix',
    folder, // else a workspace around it would be what npm installs into
    '--no-audit',
    '--no-fund',
    '--save-exact',
    '--install-links',
    '--loglevel=error',
    ...(allowsScripts ? [] : ['--ignore-scripts']),
    '--',
    runner.spec,
  ]
  // Else the settings of a package that comes from a repository would say which program "git" is.
  const ended = await run(npm, args, { npm_config_git: findOnPath('git') ?? 'git' })
  if (ended.exitCode !== 0) throw failed(runner.spec, ended.stderr.text)
  const found = describe(folder, runner)
  return { installed: found.installed, notes: allowsScripts ? [] : found.notes }
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
  const wanted = String(manifest.engines?.node ?? '')
  const running = process.versions.node
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
      ...(isInNodeRange(running, wanted)
        ? []
        : [`${name} wants Node ${wanted}; this is Node ${running}, so it may not start.`]),
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
