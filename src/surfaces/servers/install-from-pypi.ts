// Installs a package of PyPI into a folder of its own, as wheels: building one from its source would run its code.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../config/find-on-path.ts'
import type { PackageRunner } from '../../formats/mcp/package-runner.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Installer } from './install-package.ts'

const site = 'site'
const starter = 'start.py'

export const installFromPypi: Installer = async ({ folder, run }, { runner, allowsScripts }) => {
  const python = findOnPath('python3')
  if (!python)
    throw new ToolError(
      'RUNTIME_MISSING',
      'python3 is not on this machine, so no package can be installed.',
      {
        hint: 'Install Python 3 with pip, or with uv.',
      },
    )
  const target = join(folder, site)
  const requirement = requirementOf(runner.spec)
  const uv = findOnPath('uv')
  const ended = uv
    ? await run(uv, [
        ...['pip', 'install', '--quiet', '--python', python, '--target', target, '--link-mode', 'copy'],
        ...(allowsScripts ? [] : ['--no-build']),
        '--',
        requirement,
      ])
    : await run(python, [
        ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
        ...['--no-warn-script-location', '--target', target],
        ...(allowsScripts ? [] : ['--only-binary=:all:']),
        '--',
        requirement,
      ])
  if (ended.exitCode !== 0) throw failed(runner.spec, ended.stderr.text)
  // A version manager's shim asks the shell of its user; the program behind it does not.
  const asked = await run(python, ['-c', 'import sys; print(sys.executable)'])
  const { name, version, info } = packageIn(target, requirement)
  const entry = entryOf(readIfThere(join(target, info, 'entry_points.txt')), name, runner)
  writeFileSync(join(folder, starter), startText(entry))
  return {
    installed: {
      spec: runner.spec,
      name,
      version,
      integrity: `sha256-${recordsOf(target)}`,
      bin: starter,
      program: asked.stdout.text.trim() || python,
    },
    notes: [],
  }
}

/** `name@1.2.3` of uvx as pip writes it. */
function requirementOf(spec: string): string {
  const [, name, version] = /^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)@([\w.+!-]+)$/.exec(spec) ?? []
  if (name === undefined) return spec
  return version === 'latest' ? name : `${name}==${version}`
}

/** Names of packages count without case, and `-`, `_` and `.` are one. */
const plainName = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-')

/** The package that was asked for, of all that were installed for it. */
function packageIn(target: string, requirement: string): { name: string; version: string; info: string } {
  const asked = plainName(/^[A-Za-z0-9][\w.-]*(?=$|[[<>=!~; ])/.exec(requirement)?.[0] ?? '')
  for (const info of infoFolders(target)) {
    const text = readIfThere(join(target, info, 'METADATA'))
    const name = /^Name: *(.+)$/m.exec(text)?.[1]?.trim() ?? ''
    // One given by its address or path says so.
    if (asked === '' ? !existsSync(join(target, info, 'direct_url.json')) : plainName(name) !== asked)
      continue
    return { name, version: /^Version: *(.+)$/m.exec(text)?.[1]?.trim() ?? '', info }
  }
  throw failed(requirement, 'nothing of that name was installed')
}

function infoFolders(target: string): string[] {
  return readdirSync(target)
    .filter((name) => name.endsWith('.dist-info'))
    .sort()
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** A digest over the records of all packages, which hold the digest of every file. */
function recordsOf(target: string): string {
  const hash = createHash('sha256')
  for (const info of infoFolders(target))
    hash.update(`${info}\0${readIfThere(join(target, info, 'RECORD'))}\0`)
  return hash.digest('base64')
}

interface Entry {
  readonly name: string
  readonly module: string
  readonly attribute: string
}

/** The program to start: the one the command names, else the one called as the package, else the first. */
function entryOf(text: string, name: string, { bin }: PackageRunner): Entry {
  const [, section = ''] = /^\[console_scripts\]\s*\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(text) ?? []
  const line = /^([^=\n]+?)\s*=\s*([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)/gm
  const entries = [...section.matchAll(line)].map(([, program, module, attribute]) => ({
    name: program!.trim(),
    module: module!,
    attribute: attribute!,
  }))
  const found = entries.find((entry) => plainName(entry.name) === plainName(bin ?? name)) ?? entries[0]
  if (found) return found
  throw new ToolError('TOOL_INVALID', `The package ${name} has no program to start.`, {
    hint: 'It may be a library; look into its README for the server.',
  })
}

function startText({ name, module, attribute }: Entry): string {
  return `import os, site, sys
site.addsitedir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(site)}))
sys.argv[0] = ${JSON.stringify(name)}
import ${module}
sys.exit(${module}.${attribute}())
`
}

function failed(spec: string, said: string): ToolError {
  const lines = said.split('\n').filter((line) => line.trim() !== '')
  const why = (lines.findLast((line) => /^(ERROR|error)/.test(line)) ?? lines.at(-1) ?? 'it failed')
    .replace(/^(ERROR|error): */, '')
    .replace(/\.$/, '')
  const hint = /No module named pip/.test(said)
    ? 'Install pip for it (python3 -m ensurepip, or the package python3-pip), or uv.'
    : /connection|resolve|dns|network|timed out/i.test(said)
      ? 'Check that the package index can be reached: python3 -m pip download --no-deps pip'
      : 'Check its name and version. One that has no wheel is built by its own code: --allow-scripts.'
  return new ToolError('RUNTIME_MISSING', `${spec} could not be installed: ${why}.`, { hint })
}
